//! Parses tokens into definitions.

use std::collections::HashSet;

use serde_json::Value;

use super::token::{LocatedToken, TypeComment, TypesMistake, TypesToken};

/// A named type.
#[derive(Debug)]
pub(super) struct TypeDefinition {
    pub(super) name: String,
    /// Its byte offset in the text.
    pub(super) at: usize,
    pub(super) type_: CommentedType,
}

/// A type with the comments about it.
#[derive(Debug)]
pub(super) struct CommentedType {
    pub(super) kind: TypeForm,
    /// The lines of the comments.
    pub(super) words: Vec<String>,
    /// How many types are nested in it, and itself.
    pub(super) levels: usize,
}

#[derive(Debug)]
pub(super) enum TypeForm {
    /// `unknown`
    Any,
    /// `never`
    Never,
    /// `object`: any keys.
    AnyObject,
    /// `string`, `number`, `integer` or `boolean`.
    Primitive(&'static str),
    /// One literal value.
    Literal(Value),
    /// Another definition, and the byte offset of the reference.
    Reference(String, usize),
    List(Box<CommentedType>),
    Tuple(TupleType),
    Object(ObjectType),
    /// Any of them.
    Union(Vec<CommentedType>),
    /// All of them at once, and their byte offset.
    All(Vec<CommentedType>, usize),
}

/// `[A, B?, ...C[]]`
#[derive(Debug, Default)]
pub(super) struct TupleType {
    pub(super) first: Vec<CommentedType>,
    /// How many of the first elements may be absent.
    pub(super) optional: usize,
    /// The list type of further elements.
    pub(super) more: Option<Box<CommentedType>>,
}

#[derive(Debug, Default)]
pub(super) struct ObjectType {
    pub(super) members: Vec<ObjectMember>,
    pub(super) entries: Vec<IndexSignature>,
}

#[derive(Debug)]
pub(super) struct ObjectMember {
    pub(super) key: String,
    pub(super) is_optional: bool,
    pub(super) type_: CommentedType,
}

/// `[key: string]: T`, which applies to keys without a member of their own.
#[derive(Debug)]
pub(super) struct IndexSignature {
    pub(super) keys: CommentedType,
    pub(super) values: CommentedType,
}

impl CommentedType {
    pub(super) fn plain(kind: TypeForm) -> Self {
        let levels = 1 + kind.parts().map(|part| part.levels).max().unwrap_or_default();
        Self { kind, words: Vec::new(), levels }
    }
}

impl TypeForm {
    /// The types directly in it.
    pub(super) fn parts(&self) -> Box<dyn Iterator<Item = &CommentedType> + '_> {
        match self {
            Self::List(element) => Box::new(std::iter::once(&**element)),
            Self::Tuple(tuple) => Box::new(tuple.first.iter().chain(tuple.more.as_deref())),
            Self::Union(parts) | Self::All(parts, _) => Box::new(parts.iter()),
            Self::Object(object) => {
                let entries = object.entries.iter().flat_map(|entries| [&entries.keys, &entries.values]);
                Box::new(object.members.iter().map(|member| &member.type_).chain(entries))
            }
            Self::Any
            | Self::Never
            | Self::AnyObject
            | Self::Primitive(_)
            | Self::Literal(_)
            | Self::Reference(..) => Box::new(std::iter::empty()),
        }
    }
}

/// Maximum nesting of a type.
const MAX_DEPTH: usize = 128;

pub(super) struct TypesParser {
    tokens: Vec<LocatedToken>,
    /// The index of the next token.
    next: usize,
    depth: usize,
}

impl TypesParser {
    pub(super) fn new(tokens: Vec<LocatedToken>) -> Self {
        Self { tokens, next: 0, depth: 0 }
    }

    /// All definitions of the text.
    pub(super) fn definitions(mut self) -> Result<Vec<TypeDefinition>, TypesMistake> {
        let mut definitions = Vec::new();
        loop {
            let mut words = self.comments_above();
            if self.peek().is_none() {
                return if definitions.is_empty() {
                    Err(TypesMistake::new(0, "no type is defined; write `type Answer = …`"))
                } else {
                    Ok(definitions)
                };
            }
            let mut definition = self.definition()?;
            self.skip(';');
            words.append(&mut definition.type_.words);
            words.extend(self.comment_behind());
            definition.type_.words = words;
            definitions.push(definition);
        }
    }

    fn definition(&mut self) -> Result<TypeDefinition, TypesMistake> {
        let expected = "expected `type Name = …` or `interface Name { … }`";
        let (mut at, mut keyword) = self.name(expected)?;
        while matches!(keyword.as_str(), "export" | "declare") {
            (at, keyword) = self.name(expected)?;
        }
        let is_interface = match keyword.as_str() {
            "type" => false,
            "interface" => true,
            _ => return Err(TypesMistake::new(at, expected)),
        };
        let (at, name) = self.name("expected the name of the type")?;
        match self.sign() {
            Some('<') => return Err(self.wrong("types with parameters are not read; write each one out")),
            _ if is_interface && matches!(self.peek(), Some(TypesToken::Name(word)) if word == "extends") => {
                return Err(self.wrong("`extends` is not read; write `type Name = Base & { … }`"));
            }
            _ if is_interface => {}
            _ => self.expect('=', "expected `=`")?,
        }
        let type_ = if is_interface { self.operand()? } else { self.type_()? };
        Ok(TypeDefinition { name, at, type_ })
    }

    /// A type, with the comments on its line.
    fn type_(&mut self) -> Result<CommentedType, TypesMistake> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        let type_ = self.union();
        self.depth -= 1;
        type_
    }

    fn union(&mut self) -> Result<CommentedType, TypesMistake> {
        let mut above = self.comments_above();
        self.skip('|');
        above.extend(self.comments_above());
        let mut parts = Vec::new();
        loop {
            let mut part = self.all()?;
            let inline = self.inline_comments();
            if !self.is_before('|') {
                part.words.splice(0..0, above);
                parts.push(part);
                let mut whole = self.one_or(parts, TypeForm::Union)?;
                whole.words.extend(inline);
                return Ok(whole);
            }
            // A comment after one of several parts belongs to that part.
            part.words.splice(0..0, above);
            part.words.extend(inline.into_iter().chain(self.comment_behind()));
            parts.push(part);
            above = self.comments_above();
            self.skip('|');
            above.extend(self.comments_above());
        }
    }

    fn all(&mut self) -> Result<CommentedType, TypesMistake> {
        let at = self.at();
        let mut parts = vec![self.operand()?];
        while self.skip('&') {
            parts.push(self.operand()?);
        }
        self.one_or(parts, |parts| TypeForm::All(parts, at))
    }

    fn operand(&mut self) -> Result<CommentedType, TypesMistake> {
        let mut type_ = self.primary()?;
        // Without the closing bracket, `[` starts the next line of an object: `[key: string]: T`.
        while self.sign() == Some('[') && self.token_at(1) == Some(&TypesToken::Sign(']')) {
            self.next += 2;
            type_ = self.made(TypeForm::List(Box::new(type_)))?;
        }
        Ok(type_)
    }

    /// A type of this kind, if it is not nested too deep. Whoever follows it to its end relies on
    /// that, also to drop it.
    fn made(&self, kind: TypeForm) -> Result<CommentedType, TypesMistake> {
        let type_ = CommentedType::plain(kind);
        if type_.levels > MAX_DEPTH { Err(self.too_deep()) } else { Ok(type_) }
    }

    /// The only one of `parts`, or all of them combined by `many`.
    fn one_or(
        &self,
        mut parts: Vec<CommentedType>,
        many: impl FnOnce(Vec<CommentedType>) -> TypeForm,
    ) -> Result<CommentedType, TypesMistake> {
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(only),
            last => self.made(many(parts.into_iter().chain(last).collect())),
        }
    }

    fn too_deep(&self) -> TypesMistake {
        self.wrong(format!("nests more than {MAX_DEPTH} levels deep"))
    }

    fn primary(&mut self) -> Result<CommentedType, TypesMistake> {
        let at = self.at();
        let kind = match self.take() {
            Some(TypesToken::Literal(value)) => TypeForm::Literal(value),
            Some(TypesToken::Name(name)) => self.named(name, at)?,
            Some(TypesToken::Sign('(')) => {
                let type_ = self.type_()?;
                self.expect(')', "expected `)`")?;
                return Ok(type_);
            }
            Some(TypesToken::Sign('{')) => TypeForm::Object(self.object()?),
            Some(TypesToken::Sign('[')) => TypeForm::Tuple(self.tuple()?),
            _ => return Err(TypesMistake::new(at, "expected a type")),
        };
        self.made(kind)
    }

    fn named(&mut self, name: String, at: usize) -> Result<TypeForm, TypesMistake> {
        Ok(match name.as_str() {
            "string" => TypeForm::Primitive("string"),
            "number" => TypeForm::Primitive("number"),
            "integer" => TypeForm::Primitive("integer"),
            "boolean" => TypeForm::Primitive("boolean"),
            "unknown" | "any" => TypeForm::Any,
            "never" => TypeForm::Never,
            "object" => TypeForm::AnyObject,
            "undefined" => {
                return Err(TypesMistake::new(
                    at,
                    "JSON has no `undefined`; write `?` after a key that may be absent",
                ));
            }
            "Array" | "ReadonlyArray" if self.skip('<') => {
                let element = self.type_()?;
                self.expect('>', "expected `>`")?;
                TypeForm::List(Box::new(element))
            }
            "Record" if self.skip('<') => {
                let keys = self.type_()?;
                self.expect(',', "expected `,`: a map is written `Record<string, T>`")?;
                let values = self.type_()?;
                self.expect('>', "expected `>`")?;
                TypeForm::Object(ObjectType {
                    members: Vec::new(),
                    entries: vec![IndexSignature { keys, values }],
                })
            }
            _ if self.sign() == Some('<') => {
                return Err(TypesMistake::new(
                    at,
                    format!(
                        "`{name}<…>` is not read; of types with parameters only `Array` and `Record` are"
                    ),
                ));
            }
            _ => TypeForm::Reference(name, at),
        })
    }

    /// Parses an object after its opening bracket.
    fn object(&mut self) -> Result<ObjectType, TypesMistake> {
        let mut object = ObjectType::default();
        let mut keys = HashSet::new();
        loop {
            let mut words = self.comments_above();
            if self.skip('}') {
                return Ok(object);
            }
            let at = self.at();
            let type_ = if self.skip('[') {
                object.entries.push(self.entries()?);
                object.entries.last_mut().map(|entries| &mut entries.values)
            } else {
                let member = self.member()?;
                if !keys.insert(member.key.clone()) {
                    return Err(TypesMistake::new(
                        at,
                        format!("the key {} stands twice", Value::from(member.key)),
                    ));
                }
                object.members.push(member);
                object.members.last_mut().map(|member| &mut member.type_)
            };
            // A line break separates members too, and is not a token.
            let _ = self.skip(',') || self.skip(';');
            words.extend(self.comment_behind());
            if let Some(type_) = type_ {
                words.append(&mut type_.words);
                type_.words = words;
            }
        }
    }

    fn member(&mut self) -> Result<ObjectMember, TypesMistake> {
        let at = self.at();
        let mut token = self.take();
        let is_modifier = matches!(&token, Some(TypesToken::Name(name)) if name == "readonly");
        if is_modifier && matches!(self.peek(), Some(TypesToken::Name(_) | TypesToken::Literal(_))) {
            token = self.take();
        }
        let key = match token {
            Some(TypesToken::Name(name)) => name,
            Some(TypesToken::Literal(Value::String(key))) => key,
            Some(TypesToken::Literal(value)) => value.to_string(),
            _ => return Err(TypesMistake::new(at, "expected a key or `}`")),
        };
        let is_optional = self.skip('?');
        self.expect(':', "expected `:` and the type of the key")?;
        Ok(ObjectMember { key, is_optional, type_: self.type_()? })
    }

    /// The rest of an index signature: `key: string]: T`.
    fn entries(&mut self) -> Result<IndexSignature, TypesMistake> {
        let expected = "expected `[key: string]: T`";
        self.name(expected)?;
        self.expect(':', expected)?;
        let keys = self.type_()?;
        self.expect(']', expected)?;
        self.expect(':', expected)?;
        Ok(IndexSignature { keys, values: self.type_()? })
    }

    /// Parses a tuple after its opening bracket.
    fn tuple(&mut self) -> Result<TupleType, TypesMistake> {
        let mut tuple = TupleType::default();
        loop {
            let mut words = self.comments_above();
            if self.skip(']') {
                return Ok(tuple);
            }
            if tuple.more.is_some() {
                return Err(self.wrong("nothing follows the further elements (`...T[]`)"));
            }
            let is_rest = self.peek() == Some(&TypesToken::Dots);
            if is_rest {
                self.take();
            }
            let mut type_ = self.type_()?;
            let is_optional = !is_rest && self.skip('?');
            if !self.skip(',')
                && self.sign() != Some(']')
                && !matches!(self.peek(), Some(TypesToken::Comment(_)))
            {
                return Err(self.wrong("expected `,` or `]`"));
            }
            words.extend(self.comment_behind());
            words.append(&mut type_.words);
            type_.words = words;
            if is_rest {
                tuple.more = Some(Box::new(type_));
            } else if is_optional {
                tuple.optional += 1;
                tuple.first.push(type_);
            } else if tuple.optional > 0 {
                return Err(
                    self.wrong("an element that is always there cannot follow one that may be absent")
                );
            } else {
                tuple.first.push(type_);
            }
        }
    }

    // ---- comments

    /// The comments before a definition, a member or an element.
    fn comments_above(&mut self) -> Vec<String> {
        self.comments_while(|_| true)
    }

    /// The comment after the last token, on the same line.
    fn comment_behind(&mut self) -> Vec<String> {
        self.comments_while(|comment| !comment.is_on_own_line)
    }

    /// Comments with an end mark (`/* … */`) on the same line.
    fn inline_comments(&mut self) -> Vec<String> {
        self.comments_while(|comment| comment.is_inline && !comment.is_on_own_line)
    }

    fn comments_while(&mut self, is_wanted: impl Fn(&TypeComment) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(TypesToken::Comment(comment)) = self.peek() {
            if !is_wanted(comment) {
                break;
            }
            lines.extend(comment.lines.iter().cloned());
            self.next += 1;
        }
        lines
    }

    /// Returns whether `sign` is the next token, not counting comments.
    fn is_before(&self, sign: char) -> bool {
        let mut rest = self.tokens[self.next.min(self.tokens.len())..].iter();
        rest.find(|located| !matches!(located.token, TypesToken::Comment(_)))
            .is_some_and(|located| located.token == TypesToken::Sign(sign))
    }

    // ---- tokens

    fn peek(&self) -> Option<&TypesToken> {
        self.token_at(0)
    }

    fn token_at(&self, ahead: usize) -> Option<&TypesToken> {
        self.tokens.get(self.next + ahead).map(|located| &located.token)
    }

    /// Returns the byte offset of the next token, or of the last one at the end.
    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |located| located.at)
    }

    fn take(&mut self) -> Option<TypesToken> {
        let token = self.peek()?.clone();
        self.next += 1;
        Some(token)
    }

    fn sign(&self) -> Option<char> {
        match self.peek() {
            Some(TypesToken::Sign(sign)) => Some(*sign),
            _ => None,
        }
    }

    /// Consumes `sign`, if it is the next token.
    fn skip(&mut self, sign: char) -> bool {
        let is_next = self.sign() == Some(sign);
        if is_next {
            self.take();
        }
        is_next
    }

    fn expect(&mut self, sign: char, expected: &str) -> Result<(), TypesMistake> {
        if self.skip(sign) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn name(&mut self, expected: &str) -> Result<(usize, String), TypesMistake> {
        let at = self.at();
        match self.take() {
            Some(TypesToken::Name(name)) => Ok((at, name)),
            _ => Err(TypesMistake::new(at, expected)),
        }
    }

    fn wrong(&self, message: impl Into<String>) -> TypesMistake {
        TypesMistake::new(self.at(), message)
    }
}
