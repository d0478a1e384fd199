//! Evaluates texts: constants and arrays of them, `match`, and parameters, for which it looks at all
//! callers.

use std::collections::BTreeSet;

use syn::visit::Visit;
use syn::{Block, Expr, Lit, Member, Pat, Stmt};

use super::source::{Function, Inside, Sources, engine_of, name_of};
use super::{Engine, Outcome, Text, Values};

const DEEPEST: usize = 30;

fn both(left: &Text, right: &Text) -> Option<Text> {
    let engine = match (left.1, right.1) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other),
    };
    Some(Text(format!("{}{}", left.0, right.0), engine))
}

pub(super) fn joined(left: Vec<Text>, right: &[Text]) -> Vec<Text> {
    left.iter().flat_map(|l| right.iter().filter_map(|r| both(l, r))).collect()
}

/// The value of a block.
fn last(block: &Block) -> Result<&Expr, String> {
    match block.stmts.last() {
        Some(Stmt::Expr(value, None)) => Ok(value),
        _ => Err("a block without a value".into()),
    }
}

impl<'a> Sources<'a> {
    fn constant(&self, file: &str, name: &str) -> Result<(&'a str, &'a Expr), String> {
        let here = self.constants.iter().filter(|((of, called), _)| called == name && *of == file);
        let anywhere = self.constants.iter().filter(|((_, called), _)| called == name);
        let found: Vec<_> = here.collect();
        let found = if found.is_empty() { anywhere.collect() } else { found };
        match found.as_slice() {
            [((of, _), value)] => Ok((*of, *value)),
            _ => Err(format!("{} constants are called {name}", found.len())),
        }
    }

    fn function(&self, file: &str, name: &str) -> Result<&Function<'a>, String> {
        let named = || self.functions.iter().filter(|function| function.name == name);
        let mut found: Vec<_> = named().filter(|function| function.file == file).collect();
        if found.is_empty() {
            found = named().collect();
        }
        match found.as_slice() {
            [function] => Ok(function),
            _ => Err(format!("{} functions are called {name}", found.len())),
        }
    }

    /// All texts that an expression may be.
    pub(super) fn texts(&self, expr: &Expr, at: &Function, known: &Values) -> Outcome<Text> {
        self.depth.set(self.depth.get() + 1);
        let found = match self.depth.get() {
            0..=DEEPEST => self.values(expr, at, known).and_then(|sets| {
                let mut all = Vec::new();
                for values in sets {
                    all.extend(self.evaluate(expr, at, &values)?);
                }
                Ok(all)
            }),
            _ => Err("a circle".into()),
        };
        self.depth.set(self.depth.get() - 1);
        found
    }

    fn evaluate(&self, expr: &Expr, at: &Function, values: &Values) -> Outcome<Text> {
        match expr {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => Ok(vec![Text(text.value(), None)]),
                _ => Err("a literal that is no text".into()),
            },
            Expr::Array(array) => {
                array.elems.iter().try_fold(vec![Text(String::new(), None)], |texts, part| {
                    Ok(joined(texts, &self.texts(part, at, values)?))
                })
            }
            Expr::Paren(inner) => self.texts(&inner.expr, at, values),
            Expr::Reference(inner) => self.texts(&inner.expr, at, values),
            Expr::Unary(inner) => self.texts(&inner.expr, at, values),
            Expr::Block(block) => self.texts(last(&block.block)?, at, values),
            Expr::Match(choice) => {
                let mut all = Vec::new();
                for arm in &choice.arms {
                    let only = [Text(String::new(), engine_of(&arm.pat))];
                    all.extend(joined(self.texts(&arm.body, at, values)?, &only));
                }
                Ok(all)
            }
            Expr::Path(path) => self.named(&path.path, at, values),
            Expr::Index(index) => self.element(index, at),
            Expr::Struct(texts) => {
                let mut all = Vec::new();
                for field in &texts.fields {
                    let engine = match &field.member {
                        Member::Named(name) if name == "sqlite" => Engine::Sqlite,
                        Member::Named(name) if name == "postgres" => Engine::Postgres,
                        _ => return Err("a field that names no engine".into()),
                    };
                    let only = [Text(String::new(), Some(engine))];
                    all.extend(joined(self.texts(&field.expr, at, values)?, &only));
                }
                Ok(all)
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return Err("a call".into()) };
                let name = path.path.segments.last().map(|last| last.ident.to_string());
                match (name.as_deref(), &call.args) {
                    (Some("from"), args) if args.len() == 1 => self.texts(&args[0], at, values),
                    (Some(name), args) => self.result(name, args.iter(), at, values),
                    (None, _) => Err("a call".into()),
                }
            }
            Expr::MethodCall(call) if call.method == "and" && call.args.len() == 1 => {
                let rest = self.texts(&call.args[0], at, values)?;
                Ok(joined(self.texts(&call.receiver, at, values)?, &rest))
            }
            Expr::MethodCall(call) => {
                self.result(&call.method.to_string(), call.args.iter(), at, values)
            }
            _ => Err("an expression of another kind".into()),
        }
    }

    fn named(&self, path: &syn::Path, at: &Function, values: &Values) -> Outcome<Text> {
        let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        if let Some(value) = values.get(&name) {
            return Ok(vec![value.clone()]);
        }
        let (file, value) = self.constant(at.file, &name)?;
        let there = Function { file, ..nowhere(at) };
        self.texts(value, &there, &Values::new())
    }

    /// `PARTS[0]`
    fn element(&self, index: &syn::ExprIndex, at: &Function) -> Outcome<Text> {
        let (Expr::Path(path), Expr::Lit(position)) = (&*index.expr, &*index.index) else {
            return Err("an element".into());
        };
        let name = path.path.segments.last().map(|last| last.ident.to_string());
        let (_, value) = self.constant(at.file, &name.unwrap_or_default())?;
        match (value, &position.lit) {
            (Expr::Array(array), Lit::Int(position)) => {
                let position: usize = position.base10_parse().map_err(|_| "a position")?;
                self.texts(&array.elems[position], at, &Values::new())
            }
            _ => Err("an element of something else".into()),
        }
    }

    /// What a function of ours returns for these arguments.
    fn result<'e>(
        &self,
        name: &str,
        arguments: impl Iterator<Item = &'e Expr>,
        at: &Function,
        values: &Values,
    ) -> Outcome<Text> {
        let function = self.function(at.file, name)?;
        let mut sets = vec![Values::new()];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            sets = product(sets, parameter, &self.texts(argument, at, values)?);
        }
        let value = last(function.body)?;
        let mut all = Vec::new();
        for set in sets {
            all.extend(self.texts(value, function, &set)?);
        }
        Ok(all)
    }

    /// All sets of values of the variables in an expression. Variables that get their values
    /// together, such as the parameters of one call, are not mixed.
    fn values(&self, expr: &Expr, at: &Function, known: &Values) -> Outcome<Values> {
        let mut sets = vec![known.clone()];
        for name in variables(expr) {
            let mut more = Vec::new();
            for set in sets {
                match set.contains_key(&name) {
                    true => more.push(set),
                    false => {
                        more.extend(self.bound(&name, at, &set)?.into_iter().map(|mut values| {
                            values.extend(set.clone());
                            values
                        }))
                    }
                }
            }
            sets = more;
        }
        Ok(sets)
    }

    /// All values of a variable, with those of the variables that are bound together with it.
    fn bound(&self, name: &str, at: &Function, known: &Values) -> Outcome<Values> {
        if let Some(found) = self.bound_by_let(name, at, known)? {
            return Ok(found);
        }
        for (pattern, items) in &at.inside.loops {
            let items = match items {
                Expr::Array(array) => array,
                _ => match first_constant(items).map(|name| self.constant(at.file, &name)) {
                    Some(Ok((_, Expr::Reference(inner)))) => match &*inner.expr {
                        Expr::Array(array) => array,
                        _ => continue,
                    },
                    _ => continue,
                },
            };
            let mut all = Vec::new();
            for item in &items.elems {
                all.extend(self.matched(pattern, item, name, at, known)?);
            }
            if !all.is_empty() {
                return Ok(all);
            }
        }
        let closures = &at.inside.closures;
        if let Some((closure, own)) = closures.iter().find(|(_, own)| own.iter().any(|p| p == name))
        {
            return self.arguments(closure, own, name, std::iter::once(at));
        }
        if at.parameters.iter().any(|parameter| parameter == name) {
            let here = self.functions.iter().filter(|function| function.file == at.file);
            return self.arguments(&at.name, &at.parameters, name, here);
        }
        Err(format!("the variable {name}"))
    }

    fn bound_by_let(
        &self,
        name: &str,
        at: &Function,
        known: &Values,
    ) -> Result<Option<Vec<Values>>, String> {
        for (pattern, value) in &at.inside.lets {
            let choices: Vec<&Expr> = match value {
                Expr::Match(choice) => choice.arms.iter().map(|arm| &*arm.body).collect(),
                value => vec![*value],
            };
            let is_tuple = matches!(pattern, Pat::Tuple(_));
            if name_of(pattern).as_deref() == Some(name) {
                let texts = self.texts(value, at, known)?;
                return Ok(Some(product(vec![Values::new()], name, &texts)));
            }
            if !is_tuple {
                continue;
            }
            let mut all = Vec::new();
            for choice in choices {
                all.extend(self.matched(pattern, choice, name, at, known)?);
            }
            if !all.is_empty() {
                return Ok(Some(all));
            }
        }
        Ok(None)
    }

    /// The values of the variables in a pattern, if `name` is one of them. Values that are not
    /// texts are left out.
    fn matched(
        &self,
        pattern: &Pat,
        value: &Expr,
        name: &str,
        at: &Function,
        known: &Values,
    ) -> Outcome<Values> {
        let value = match value {
            Expr::Block(block) => last(&block.block)?,
            value => value,
        };
        let pairs: Vec<(String, &Expr)> = match (pattern, value) {
            (Pat::Tuple(names), Expr::Tuple(values)) => {
                let names = names.elems.iter().map(|name| name_of(name).unwrap_or_default());
                names.zip(&values.elems).collect()
            }
            (pattern, value) => name_of(pattern).map(|name| (name, value)).into_iter().collect(),
        };
        if !pairs.iter().any(|(called, _)| called == name) {
            return Ok(Vec::new());
        }
        let mut sets = vec![Values::new()];
        for (called, value) in pairs {
            match self.texts(value, at, known) {
                Ok(texts) => sets = product(sets, &called, &texts),
                Err(why) if called == name => return Err(why),
                Err(_) => {}
            }
        }
        Ok(sets)
    }

    /// The values of parameters in all calls.
    fn arguments<'f>(
        &'f self,
        callee: &str,
        parameters: &[String],
        name: &str,
        callers: impl Iterator<Item = &'f Function<'a>>,
    ) -> Outcome<Values>
    where
        'a: 'f,
    {
        let mut all = Vec::new();
        for caller in callers {
            for (_, arguments) in caller.inside.calls.iter().filter(|(called, _)| called == callee)
            {
                let mut sets = vec![Values::new()];
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    match self.texts(argument, caller, &Values::new()) {
                        Ok(texts) => sets = product(sets, parameter, &texts),
                        Err(why) if parameter == name => return Err(why),
                        Err(_) => {}
                    }
                }
                all.extend(sets);
            }
        }
        match all.is_empty() {
            true => Err(format!("nobody calls {callee}")),
            false => Ok(all),
        }
    }
}

fn product(sets: Vec<Values>, name: &str, texts: &[Text]) -> Vec<Values> {
    let with = |set: &Values, text: &Text| {
        let mut set = set.clone();
        set.insert(name.to_owned(), text.clone());
        set
    };
    sets.iter().flat_map(|set| texts.iter().map(|text| with(set, text))).collect()
}

/// A place without variables.
fn nowhere<'a>(at: &Function<'a>) -> Function<'a> {
    Function {
        file: at.file,
        name: String::new(),
        parameters: Vec::new(),
        body: at.body,
        inside: Inside::default(),
    }
}

/// The variables that are evaluated as texts.
fn variables(expr: &Expr) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl Visit<'_> for Names {
        fn visit_expr_path(&mut self, path: &syn::ExprPath) {
            if let Some(name) = path.path.get_ident()
                && name != "self"
                && !name.to_string().starts_with(|c: char| c.is_ascii_uppercase())
            {
                self.0.insert(name.to_string());
            }
        }

        fn visit_expr_call(&mut self, call: &syn::ExprCall) {
            call.args.iter().for_each(|argument| self.visit_expr(argument));
        }

        fn visit_expr_match(&mut self, choice: &syn::ExprMatch) {
            choice.arms.iter().for_each(|arm| self.visit_expr(&arm.body));
        }
    }
    let mut names = Names(BTreeSet::new());
    names.visit_expr(expr);
    names.0
}

/// The constant that an iterator begins with.
fn first_constant(expr: &Expr) -> Option<String> {
    match expr {
        Expr::MethodCall(call) => first_constant(&call.receiver),
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}
