//! Generates the code that runs checks and rules.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{ExprPath, Ident, Type, spanned::Spanned as _};

use super::{asked, at, located};
use crate::{
    model::{
        EnumModel, FieldModel, FieldsModel, ModelBody, SpannedName, TaggingModel, TypeModel, UserRules,
        VariantModel,
    },
    parse::FieldsStyle,
};

/// Judges each field, then the whole.
pub(super) fn method(model: &TypeModel) -> TokenStream {
    let judging = JudgingCalls::new(model);
    let fields = match &model.data {
        ModelBody::Struct(content) => judging.struct_(content),
        ModelBody::Enum(data) => judging.enum_(data),
        ModelBody::Proxy(_) | ModelBody::Union(_) => TokenStream::new(),
    };
    let rules = judging.rules(&model.rules, &[quote!(self)], &quote!(__extract_place));
    if fields.is_empty() && rules.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            #fields
            #rules
        }
    }
}

/// The constant that says that the type has checks or rules of its own. Most types have none.
pub(super) fn ruled(model: &TypeModel) -> Option<TokenStream> {
    let is_checked = |content: &FieldsModel| content.present().any(|field| !field.checks.is_empty());
    let is_ruled = !model.rules.is_empty()
        || match &model.data {
            ModelBody::Struct(content) => is_checked(content),
            ModelBody::Enum(data) => {
                let is_ruled =
                    |variant: &VariantModel| !variant.rules.is_empty() || is_checked(&variant.content);
                data.variants.iter().any(is_ruled)
            }
            ModelBody::Proxy(_) | ModelBody::Union(_) => false,
        };
    is_ruled.then(|| {
        quote!(
            const __EXTRACT_RULED: ::core::primitive::bool = true;
        )
    })
}

/// The assertion that the type in `from` has no checks and rules, which would not run. That of a type with parameters
/// is known only where it is used.
pub(super) fn source_rules(model: &TypeModel) -> Option<TokenStream> {
    let ModelBody::Proxy(ty) = &model.data else { return None };
    let call = quote_spanned!(at(ty)=> __extract::source_without_rules(__extract::AskedType::<#ty>::RULED));
    model.generics.params.is_empty().then(|| quote_spanned!(at(ty)=> const _: () = #call;))
}

/// Calls of the checks and rules of a type.
pub(super) struct JudgingCalls<'m> {
    context: Option<&'m Type>,
}

impl<'m> JudgingCalls<'m> {
    pub(super) fn new(model: &'m TypeModel) -> Self {
        Self { context: model.context.as_ref() }
    }

    /// The calls with `arguments`, which are references to the value or to its parts.
    fn rules(&self, rules: &UserRules, arguments: &[TokenStream], place: &TokenStream) -> TokenStream {
        let now = self.now(rules, arguments, place);
        let deferred: TokenStream =
            rules.deferred.iter().map(|rule| self.defer(rule, arguments, place)).collect();
        let deferred = (!deferred.is_empty()).then(|| match self.context {
            None => deferred,
            Some(context) => {
                let given = quote_spanned!(at(context)=> __extract_judge.context::<#context>());
                quote!(if let __extract::Option::Some(__extract_context) = #given { #deferred })
            }
        });
        quote!(#now #deferred)
    }

    /// Returns the synchronous calls, if any.
    pub(super) fn now(
        &self,
        rules: &UserRules,
        arguments: &[TokenStream],
        place: &TokenStream,
    ) -> Option<TokenStream> {
        let now: TokenStream = rules.now.iter().map(|rule| self.record(rule, arguments, place)).collect();
        (!now.is_empty()).then(|| match self.context {
            None => quote!(if __extract_judge.is_running() { #now }),
            Some(context) => {
                let given = quote_spanned!(at(context)=> __extract_judge.context_if_running::<#context>());
                quote!(if let __extract::Option::Some(__extract_context) = #given { #now })
            }
        })
    }

    fn record(&self, function: &ExprPath, arguments: &[TokenStream], place: &TokenStream) -> TokenStream {
        let call = self.call(function, arguments);
        quote_spanned!(at(function)=> __extract::RuleResult::record(#call, __extract_judge, #place);)
    }

    /// The arguments get their own names, so that the closure captures only them.
    fn defer(&self, function: &ExprPath, arguments: &[TokenStream], place: &TokenStream) -> TokenStream {
        let names: Vec<TokenStream> = (0..arguments.len())
            .map(|index| format_ident!("__extract_argument_{index}").into_token_stream())
            .collect();
        let call = self.call(function, &names);
        let deferred = quote_spanned!(at(function)=> __extract_judge.defer(move || #call, #place););
        quote!({
            #(let #names = #arguments;)*
            #deferred
        })
    }

    fn call(&self, function: &ExprPath, arguments: &[TokenStream]) -> TokenStream {
        let context = self.context.map(|_| quote!(__extract_context));
        // A wrong signature is reported at the path, so the arguments have its position.
        let arguments = arguments.iter().chain(&context).map(|argument| located(argument, function));
        // So have the parentheses, and with it the result.
        quote_spanned!(function.span()=> #function(#(#arguments),*))
    }

    fn struct_(&self, content: &FieldsModel) -> TokenStream {
        let base = quote!(__extract_place);
        placed(content, &base)
            .map(|(field, place)| {
                let member = &field.member;
                self.judged(field, &quote!(&self.#member), &place)
            })
            .collect()
    }

    fn enum_(&self, data: &EnumModel) -> TokenStream {
        let judged: Vec<&VariantModel> = data.variants.iter().filter(|variant| is_judged(variant)).collect();
        if judged.is_empty() {
            return TokenStream::new();
        }
        let arms = judged.iter().map(|variant| self.arm(variant, &data.tagging));
        let rest = (judged.len() < data.variants.len()).then(|| quote!(_ => {}));
        quote! {
            match self {
                #(#arms)*
                #rest
            }
        }
    }

    fn arm(&self, variant: &VariantModel, tagging: &TaggingModel) -> TokenStream {
        let ident = &variant.ident;
        let fields = variant.content.fields.iter().zip(0_usize..);
        let patterns = fields.clone().filter(|(field, _)| !field.is_skipped()).map(|(field, index)| {
            let (member, binding) = (&field.member, binding(index));
            quote!(#member: #binding)
        });
        let base = quote!(__extract_base);
        let present: Vec<usize> =
            fields.filter(|(field, _)| !field.is_skipped()).map(|(_, index)| index).collect();
        // The position of fields that a custom function reads is unknown.
        let plain = placed(&variant.content, &base).zip(&present).filter(|_| variant.with.is_none());
        let judged = plain.map(|((field, place), index)| {
            let binding = binding(*index);
            self.judged(field, &quote!(#binding), &place)
        });
        let bindings: Vec<TokenStream> = present
            .iter()
            .map(|index| {
                let binding = binding(*index);
                quote!(#binding)
            })
            .collect();
        let rules = self.rules(&variant.rules, &bindings, &base);
        let place = place_of(variant, tagging);
        quote! {
            Self::#ident { #(#patterns,)* .. } => {
                let __extract_base = #place;
                #(#judged)*
                #rules
            }
        }
    }

    fn judged(&self, field: &FieldModel, value: &TokenStream, place: &TokenStream) -> TokenStream {
        let ty = &field.ty;
        let checks = self.rules(&field.checks, std::slice::from_ref(value), &quote!(__extract_at));
        // A field with `schema_with` need not be extractable, so its content is not judged.
        let inside = field.attributes.schema_with.is_none().then(|| {
            let method = asked::call(ty, "judge");
            quote!(#method(#value, __extract_at, __extract_judge);)
        });
        quote! {{
            let __extract_at = #place;
            #inside
            #checks
        }}
    }
}

fn is_judged(variant: &VariantModel) -> bool {
    let has_inside = variant.with.is_none() && variant.content.present().next().is_some();
    variant.skip.is_none() && (has_inside || !variant.rules.is_empty())
}

fn binding(index: usize) -> Ident {
    format_ident!("__extract_{index}")
}

/// The path of a variant's content.
fn place_of(variant: &VariantModel, tagging: &TaggingModel) -> TokenStream {
    match tagging {
        _ if variant.is_untagged => quote!(__extract_place),
        TaggingModel::External => {
            let name = variant.names.first().map(text);
            quote!(&__extract_place.key(#name))
        }
        TaggingModel::Adjacent(_, content) => quote!(&__extract_place.key(#content)),
        TaggingModel::Internal(_) => quote!(&__extract_place.among()),
        TaggingModel::Untagged => quote!(__extract_place),
    }
}

/// The fields in the JSON, each with its path.
fn placed<'a>(
    content: &'a FieldsModel,
    base: &'a TokenStream,
) -> impl Iterator<Item = (&'a FieldModel, TokenStream)> {
    content.present().zip(0_usize..).map(move |(field, index)| {
        let place = match content.style {
            FieldsStyle::Unit | FieldsStyle::Newtype => base.clone(),
            FieldsStyle::Tuple => quote!(&#base.index(#index)),
            FieldsStyle::Named if field.is_flat() => quote!(&#base.among()),
            FieldsStyle::Named => {
                let name = field.names.first().map(text);
                quote!(&#base.key(#name))
            }
        };
        (field, place)
    })
}

fn text(name: &SpannedName) -> &str {
    &name.text
}

/// Returns whether there is nothing to judge inside.
pub(super) fn is_scalar(ty: &Type) -> bool {
    use crate::check::known::{JsonKind, kind};

    matches!(
        kind(ty),
        JsonKind::Integer(_) | JsonKind::Float | JsonKind::String | JsonKind::Boolean | JsonKind::Character
    )
}
