//! The bounds of the type parameters.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Ident, Path, Type, TypeParamBound, WherePredicate, parse_quote};

use crate::model::{FieldModel, ModelBody, TypeModel};

/// The generics of the implementation. As in serde, a parameter gets the bounds that the fields
/// need: it must be extractable if a field holds one, and otherwise only own its data.
pub(super) fn generics(model: &TypeModel) -> Generics {
    generics_from(model, &parse_quote!(__extract))
}

/// The same where `private` is the path of `extract::__private`.
pub(super) fn generics_from(model: &TypeModel, private: &Path) -> Generics {
    let mut generics = model.generics.clone();
    let used = ParameterUses::of(model);
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            param.default = None;
        }
    }
    let parameters: Vec<Ident> = model.generics.type_params().map(|param| param.ident.clone()).collect();
    let stated = stated(model);
    if parameters.is_empty() && stated.is_empty() {
        return generics;
    }
    let clause = generics.make_where_clause();
    clause.predicates.extend(parameters.iter().map(|param| used.predicate(param, private)));
    clause.predicates.extend(used.projections(private));
    clause.predicates.extend(used.defaults(model));
    clause.predicates.extend(stated);
    generics
}

/// The bounds in attributes of serde.
fn stated(model: &TypeModel) -> Vec<WherePredicate> {
    let of_fields = model.fields().into_iter().flat_map(|field| &field.serde.bounds);
    let variants = match &model.data {
        ModelBody::Enum(data) => &data.variants[..],
        _ => &[],
    };
    let of_variants = variants.iter().flat_map(|variant| &variant.bounds);
    model.bounds.iter().chain(of_variants).chain(of_fields).cloned().collect()
}

/// The types that a bound requires to be extractable, other than parameters.
fn bounded(model: &TypeModel) -> impl Iterator<Item = &Type> {
    let predicates = model.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let is_extractable = |bound: &TypeParamBound| {
        let TypeParamBound::Trait(bound) = bound else { return false };
        bound.path.segments.last().is_some_and(|segment| segment.ident == "Extractable")
    };
    predicates.filter_map(move |predicate| match predicate {
        WherePredicate::Type(predicate) if predicate.bounds.iter().any(is_extractable) => {
            let is_parameter =
                matches!(&predicate.bounded_ty, Type::Path(path) if path.path.get_ident().is_some());
            Some(&predicate.bounded_ty).filter(|_| !is_parameter)
        }
        _ => None,
    })
}

/// How the fields use the type parameters.
pub(super) struct ParameterUses {
    parameters: BTreeSet<String>,
    /// Fields contain these parameters.
    held: BTreeSet<String>,
    /// Fields contain `T::Name`.
    projected: Vec<TokenStream>,
}

impl ParameterUses {
    pub(super) fn of(model: &TypeModel) -> Self {
        let parameters = model.generics.type_params().map(|param| param.ident.to_string()).collect();
        let mut uses = Self { parameters, held: BTreeSet::new(), projected: Vec::new() };
        if uses.parameters.is_empty() {
            return uses;
        }
        if let ModelBody::Proxy(ty) = &model.data {
            uses.scan(ty.to_token_stream());
        }
        for field in model.plain_fields() {
            if !field.is_skipped() && field.attributes.schema_with.is_none() {
                uses.scan(field.ty.to_token_stream());
            }
        }
        uses
    }

    pub(super) fn is_held(&self, param: &Ident) -> bool {
        self.held.contains(&param.to_string())
    }

    /// The types that share the context of the whole: contained parameters, their projections, and the
    /// types of bounds such as `[u8; N]: Extractable`, behind which the compiler does not see more.
    pub(super) fn inside(&self, model: &TypeModel) -> Vec<TokenStream> {
        let held = model.generics.type_params().map(|param| &param.ident).filter(|ident| self.is_held(ident));
        let held = held.map(ToTokens::to_token_stream).chain(self.projected.iter().cloned());
        held.chain(bounded(model).map(ToTokens::to_token_stream)).collect()
    }

    fn predicate(&self, param: &Ident, private: &Path) -> WherePredicate {
        if self.is_held(param) {
            parse_quote!(#param: #private::DescribedType)
        } else {
            parse_quote!(#param: 'static)
        }
    }

    /// serde's bounds for fields that get the default value of their type.
    fn defaults(&self, model: &TypeModel) -> Vec<WherePredicate> {
        let mut held =
            Self { parameters: self.parameters.clone(), held: BTreeSet::new(), projected: Vec::new() };
        let has_default =
            |field: &FieldModel| field.serde.has_type_default || field.is_skipped() && !field.has_default;
        for field in model.fields().into_iter().filter(|field| has_default(field)) {
            held.scan(field.ty.to_token_stream());
        }
        let parameters = model.generics.type_params().map(|param| &param.ident);
        let held_parameters = parameters.filter(|param| held.is_held(param));
        held_parameters.map(|param| parse_quote!(#param: ::core::default::Default)).collect()
    }

    fn projections(&self, private: &Path) -> impl Iterator<Item = WherePredicate> {
        self.projected.iter().map(move |ty| parse_quote!(#ty: #private::DescribedType))
    }

    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colon = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            match token {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(ident) if ident == "PhantomData" => {
                    index = past_arguments(&tokens, index + 1);
                    continue;
                }
                TokenTree::Ident(ident)
                    if self.parameters.contains(&ident.to_string())
                        && !(index >= 2 && is_colon(index - 1) && is_colon(index - 2)) =>
                {
                    match tokens.get(index + 3) {
                        Some(TokenTree::Ident(name)) if is_colon(index + 1) && is_colon(index + 2) => {
                            self.projected.push(quote!(#ident::#name));
                        }
                        _ => {
                            self.held.insert(ident.to_string());
                        }
                    }
                }
                _ => {}
            }
            index += 1;
        }
    }
}

/// The index after `<...>`, if that is at `index`.
fn past_arguments(tokens: &[TokenTree], index: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, token) in tokens.iter().enumerate().skip(index) {
        if let TokenTree::Punct(punct) = token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    tokens.len()
}
