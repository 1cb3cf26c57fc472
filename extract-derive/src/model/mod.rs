//! Interprets the attributes.

mod name;

use std::mem::take;

use quote::format_ident;
use syn::{
    Attribute, ExprPath, Generics, Ident, Index, LitStr, Member, Path, Type, Visibility, WherePredicate,
    parse_quote,
};

pub(crate) use self::name::SpannedName;
use crate::{
    MistakeCollector,
    case::NameCase,
    parse::{
        DocText, FieldAttributes, FieldsStyle, FunctionPath, ItemAttributes, ParsedData, ParsedField,
        ParsedFields, ParsedType, ParsedVariant, SerdeField, SerdeType, SpannedValue,
    },
};

/// An extractable type.
#[derive(Debug)]
pub(crate) struct TypeModel {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    /// The path of `extract` in generated code.
    pub(crate) krate: Path,
    /// The name of its definition.
    pub(crate) name: String,
    pub(crate) annotations: SchemaAnnotations,
    pub(crate) rules: UserRules,
    /// The context of checks and rules.
    pub(crate) context: Option<Type>,
    /// Further bounds of serde's implementation.
    pub(crate) bounds: Vec<WherePredicate>,
    pub(crate) data: ModelBody,
    pub(crate) serde: SerdeType,
    pub(crate) partial: Option<PartialModel>,
}

/// The partial of a type, if one was requested.
#[derive(Debug)]
pub(crate) struct PartialModel {
    pub(crate) at: Path,
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    /// The doc comments of the type.
    pub(crate) comments: Vec<Attribute>,
}

/// User functions that judge a value.
#[derive(Debug)]
pub(crate) struct UserRules {
    pub(crate) now: Vec<ExprPath>,
    /// The async ones.
    pub(crate) deferred: Vec<ExprPath>,
}

impl UserRules {
    fn new(
        now: impl IntoIterator<Item = FunctionPath>,
        deferred: impl IntoIterator<Item = FunctionPath>,
    ) -> Self {
        let paths = |function: FunctionPath| function.0;
        Self {
            now: now.into_iter().map(paths).collect(),
            deferred: deferred.into_iter().map(paths).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.now.is_empty() && self.deferred.is_empty()
    }
}

/// Title and description.
#[derive(Debug)]
pub(crate) struct SchemaAnnotations {
    pub(crate) title: Option<LitStr>,
    pub(crate) description: DocText,
}

#[derive(Debug)]
pub(crate) enum ModelBody {
    Struct(FieldsModel),
    Enum(EnumModel),
    /// `from` and `try_from`: the JSON has the form of another type.
    Proxy(Type),
    /// Rejected; the token has the position.
    Union(syn::Token![union]),
}

#[derive(Debug)]
pub(crate) struct EnumModel {
    pub(crate) tagging: TaggingModel,
    pub(crate) denies_unknown: bool,
    pub(crate) variants: Vec<VariantModel>,
}

#[derive(Debug)]
pub(crate) enum TaggingModel {
    External,
    Internal(LitStr),
    Adjacent(LitStr, LitStr),
    Untagged,
}

#[derive(Debug)]
pub(crate) struct VariantModel {
    pub(crate) ident: Ident,
    /// The name, then the aliases.
    pub(crate) names: Vec<SpannedName>,
    pub(crate) annotations: SchemaAnnotations,
    pub(crate) rules: UserRules,
    pub(crate) content: FieldsModel,
    pub(crate) is_untagged: bool,
    pub(crate) is_other: bool,
    pub(crate) skip: Option<Path>,
    pub(crate) with: Option<Path>,
    pub(crate) bounds: Vec<WherePredicate>,
    /// The function for the schema of its content, instead of its fields.
    pub(crate) schema_with: Option<SpannedValue<FunctionPath>>,
    /// The names of the attributes on it.
    pub(crate) written: Vec<Path>,
}

/// The fields of a struct or a variant.
#[derive(Debug)]
pub(crate) struct FieldsModel {
    pub(crate) style: FieldsStyle,
    pub(crate) is_transparent: bool,
    pub(crate) denies_unknown: bool,
    pub(crate) fields: Vec<FieldModel>,
}

#[derive(Debug)]
pub(crate) struct FieldModel {
    pub(crate) member: Member,
    pub(crate) ty: Type,
    /// The name, then the aliases; positions have no name.
    pub(crate) names: Vec<SpannedName>,
    pub(crate) annotations: SchemaAnnotations,
    pub(crate) attributes: FieldAttributes,
    /// The names of these attributes.
    pub(crate) written: Vec<Path>,
    pub(crate) checks: UserRules,
    pub(crate) has_default: bool,
    pub(crate) serde: SerdeField,
    pub(crate) vis: Visibility,
    pub(crate) comments: Vec<Attribute>,
}

impl FieldModel {
    /// Returns whether it is not in the JSON.
    pub(crate) fn is_skipped(&self) -> bool {
        self.serde.skip.is_some()
    }

    pub(crate) fn is_flat(&self) -> bool {
        self.serde.flatten.is_some()
    }
}

impl FieldsModel {
    /// The fields that are in the JSON, in its order.
    pub(crate) fn present(&self) -> impl Iterator<Item = &FieldModel> {
        self.fields.iter().filter(|field| !field.is_skipped())
    }
}

impl TypeModel {
    /// Returns whether an implementation is possible. If not, a stub would only add the compiler's
    /// errors about missing bounds of the trait.
    pub(crate) fn can_be_implemented(&self) -> bool {
        self.generics.lifetimes().next().is_none()
            && !matches!(self.data, ModelBody::Union(_))
            && !self.serde.refused.iter().any(|path| path.is_ident("remote"))
    }

    /// The partial to generate, with the fields of the type; `None` if requesting it was a mistake.
    pub(crate) fn partial(&self) -> Option<(&PartialModel, &FieldsModel)> {
        let ModelBody::Struct(content) = &self.data else { return None };
        let has_fields = content.present().next().is_some();
        let is_whole = has_fields && self.unused(content).next().is_none();
        self.partial.as_ref().filter(|_| is_whole).map(|partial| (partial, content))
    }

    /// The type parameters that no field in the JSON holds.
    pub(crate) fn unused<'m>(&'m self, content: &'m FieldsModel) -> impl Iterator<Item = &'m Ident> {
        let is_held = |param: &Ident| content.present().any(|field| name::is_in(param, &field.ty));
        self.generics.type_params().map(|param| &param.ident).filter(move |param| !is_held(param))
    }

    /// Every field that is read according to its type and attributes, which excludes fields of a
    /// variant with a custom function.
    pub(crate) fn plain_fields(&self) -> Vec<&FieldModel> {
        match &self.data {
            ModelBody::Enum(data) => {
                let plain = data.variants.iter().filter(|variant| variant.with.is_none());
                plain.flat_map(|variant| &variant.content.fields).collect()
            }
            _ => self.fields(),
        }
    }

    /// Returns the types whose schema, checks or rules are part of this type's.
    pub(crate) fn asked(&self) -> Vec<&Type> {
        match &self.data {
            ModelBody::Proxy(ty) => vec![ty],
            _ => self.asked_fields().into_iter().map(|field| &field.ty).collect(),
        }
    }

    /// The fields with such a type.
    pub(crate) fn asked_fields(&self) -> Vec<&FieldModel> {
        let contents: Vec<&FieldsModel> = match &self.data {
            ModelBody::Struct(content) => vec![content],
            ModelBody::Enum(data) => {
                let read = data.variants.iter().filter(|variant| variant.skip.is_none());
                let plain = read.filter(|variant| variant.with.is_none() || variant.schema_with.is_none());
                plain.map(|variant| &variant.content).collect()
            }
            ModelBody::Proxy(_) | ModelBody::Union(_) => Vec::new(),
        };
        let fields = contents.into_iter().flat_map(FieldsModel::present);
        fields.filter(|field| field.attributes.schema_with.is_none()).collect()
    }

    /// Every field of every variant.
    pub(crate) fn fields(&self) -> Vec<&FieldModel> {
        match &self.data {
            ModelBody::Struct(content) => content.fields.iter().collect(),
            ModelBody::Enum(data) => {
                data.variants.iter().flat_map(|variant| &variant.content.fields).collect()
            }
            ModelBody::Proxy(_) | ModelBody::Union(_) => Vec::new(),
        }
    }
}

pub(crate) fn type_(parsed: ParsedType, errors: &mut MistakeCollector) -> TypeModel {
    let ParsedType { ident, vis, generics, docs, comments, extract, serde, data } = parsed;
    let ItemAttributes { values: extract, .. } = extract;
    let name = serde.rename.as_ref().map_or_else(|| name::unraw(&ident), LitStr::value);
    TypeModel {
        name,
        krate: extract.krate.map_or_else(|| parse_quote!(::extract), |module| module.0),
        annotations: annotations(extract.title, extract.description, docs),
        rules: UserRules::new(extract.rules, extract.async_rules),
        context: extract.context.map(|context| context.0),
        bounds: serde.bounds.clone(),
        data: data_of(data, &serde, errors),
        partial: extract.partial.map(|partial| PartialModel {
            ident: partial.value.name.unwrap_or_else(|| format_ident!("{ident}Partial")),
            at: partial.at,
            vis,
            comments,
        }),
        ident,
        generics,
        serde,
    }
}

fn data_of(data: ParsedData, serde: &SerdeType, errors: &mut MistakeCollector) -> ModelBody {
    match (data, &serde.from) {
        (ParsedData::Union(token), _) => ModelBody::Union(token),
        (data, Some(from)) => {
            refuse_unreachable(&data, errors);
            ModelBody::Proxy(from.clone())
        }
        (ParsedData::Struct(fields), None) => {
            let mut content = content(fields, serde.rename_all, serde);
            content.is_transparent = serde.transparent.is_some();
            if content.is_transparent {
                make_transparent(&mut content);
            }
            ModelBody::Struct(content)
        }
        (ParsedData::Enum(variants), None) => ModelBody::Enum(EnumModel {
            tagging: tagging(serde),
            denies_unknown: serde.deny_unknown_fields.is_some(),
            variants: variants.into_iter().map(|parsed| variant(parsed, serde)).collect(),
        }),
    }
}

/// With `from`, the JSON has the form of another type, so attributes on these fields would have no
/// effect.
fn refuse_unreachable(data: &ParsedData, errors: &mut MistakeCollector) {
    let fields: Vec<&ParsedField> = match data {
        ParsedData::Struct(fields) => fields.fields.iter().collect(),
        ParsedData::Enum(variants) => variants.iter().flat_map(|variant| &variant.fields.fields).collect(),
        ParsedData::Union(_) => Vec::new(),
    };
    for at in fields.iter().flat_map(|field| &field.extract.names) {
        errors.report(at, "no effect here, the JSON is that of the type in `from`; move the attribute there");
    }
}

/// serde's rule for the field of `transparent`.
fn make_transparent(content: &mut FieldsModel) {
    content.style = FieldsStyle::Newtype;
    content.fields.retain(|field| {
        !(field.is_skipped() || field.serde.default.is_some() || name::is_phantom(&field.ty))
    });
}

fn tagging(serde: &SerdeType) -> TaggingModel {
    match (&serde.untagged, &serde.tag, &serde.content) {
        (Some(_), ..) => TaggingModel::Untagged,
        (None, Some(tag), Some(content)) => TaggingModel::Adjacent(tag.clone(), content.clone()),
        (None, Some(tag), None) => TaggingModel::Internal(tag.clone()),
        (None, None, _) => TaggingModel::External,
    }
}

fn variant(parsed: ParsedVariant, container: &SerdeType) -> VariantModel {
    let ParsedVariant { ident, docs, extract, serde, fields } = parsed;
    let ItemAttributes { values: extract, names: written } = extract;
    let case = serde.rename_all.or(container.rename_all_fields);
    let plain =
        SerdeType { deny_unknown_fields: container.deny_unknown_fields.clone(), ..SerdeType::default() };
    VariantModel {
        names: name::of_variant(&ident, &serde, container.rename_all),
        annotations: annotations(extract.title, extract.description, docs),
        rules: UserRules::new(extract.rules, extract.async_rules),
        content: content(fields, case, &plain),
        is_untagged: serde.untagged.is_some(),
        is_other: serde.other.is_some(),
        skip: serde.skip,
        with: serde.with,
        bounds: serde.bounds,
        schema_with: extract.schema_with,
        written,
        ident,
    }
}

fn content(parsed: ParsedFields, case: Option<NameCase>, container: &SerdeType) -> FieldsModel {
    let fields = parsed.fields.into_iter().enumerate();
    FieldsModel {
        style: parsed.style,
        is_transparent: false,
        denies_unknown: container.deny_unknown_fields.is_some(),
        fields: fields.map(|(index, parsed)| field(index, parsed, case, container)).collect(),
    }
}

fn field(index: usize, parsed: ParsedField, case: Option<NameCase>, container: &SerdeType) -> FieldModel {
    let ParsedField { ident, vis, ty, docs, comments, extract, serde } = parsed;
    let ItemAttributes { values: mut extract, names: written } = extract;
    FieldModel {
        names: ident.as_ref().map(|ident| name::of_field(ident, &serde, case)).unwrap_or_default(),
        member: ident.map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named),
        ty,
        annotations: annotations(extract.title.take(), extract.description.take(), docs),
        checks: UserRules::new(take(&mut extract.checks), take(&mut extract.async_checks)),
        attributes: extract,
        written,
        has_default: serde.default.is_some() || container.default.is_some(),
        serde,
        vis,
        comments,
    }
}

fn annotations(
    title: Option<crate::parse::StringLiteral>,
    description: Option<crate::parse::StringLiteral>,
    docs: DocText,
) -> SchemaAnnotations {
    SchemaAnnotations {
        title: title.map(|title| title.0),
        description: description.map_or(docs, |text| DocText::Text(text.0.value())),
    }
}
