//! A test that prepares every statement on both engines.
//!
//! It reads the sources, and evaluates what is given to `sql` and `either`: texts, constants and
//! arrays of them, `match`, and parameters, for which it looks at all callers. A statement that it
//! cannot evaluate fails the test, so none is left out.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
use syn::visit::{self, Visit};
use syn::{Block, Expr, Lit, Member, Pat, Stmt};

use crate::db::Db;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Engine {
    Sqlite,
    Postgres,
}

/// A text, and the engine if it is for only one.
#[derive(Clone)]
struct Text(String, Option<Engine>);

/// The values of variables that hold at the same time.
type Values = HashMap<String, Text>;
type Outcome<T> = Result<Vec<T>, String>;

struct Function<'a> {
    file: &'a str,
    name: String,
    /// Without `self`.
    parameters: Vec<String>,
    body: &'a Block,
    inside: Inside<'a>,
}

/// What matters in the body of a function.
#[derive(Default)]
struct Inside<'a> {
    engine: Option<Engine>,
    statements: Vec<(&'a Expr, Option<Engine>, usize)>,
    calls: Vec<(String, Vec<&'a Expr>)>,
    lets: Vec<(&'a Pat, &'a Expr)>,
    loops: Vec<(&'a Pat, &'a Expr)>,
    closures: Vec<(String, Vec<String>)>,
}

/// The engine that a pattern names.
fn engine_of(pattern: &Pat) -> Option<Engine> {
    struct Named(Option<Engine>);
    impl Visit<'_> for Named {
        fn visit_path(&mut self, path: &syn::Path) {
            for segment in &path.segments {
                match segment.ident.to_string().as_str() {
                    "Sqlite" => self.0 = Some(Engine::Sqlite),
                    "Postgres" => self.0 = Some(Engine::Postgres),
                    _ => {}
                }
            }
        }
    }
    let mut named = Named(None);
    named.visit_pat(pattern);
    named.0
}

fn name_of(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(ident) => Some(ident.ident.to_string()),
        Pat::Type(typed) => name_of(&typed.pat),
        Pat::Reference(inner) => name_of(&inner.pat),
        _ => None,
    }
}

impl<'a> Inside<'a> {
    fn within(&mut self, engine: Option<Engine>, walk: impl FnOnce(&mut Self)) {
        let outer = self.engine;
        self.engine = engine.or(outer);
        walk(self);
        self.engine = outer;
    }
}

impl<'a> Visit<'a> for Inside<'a> {
    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        self.within(engine_of(&arm.pat), |inside| visit::visit_arm(inside, arm));
    }

    fn visit_expr_if(&mut self, branch: &'a syn::ExprIf) {
        self.visit_expr(&branch.cond);
        let engine = match &*branch.cond {
            Expr::Let(condition) => engine_of(&condition.pat),
            _ => None,
        };
        self.within(engine, |inside| inside.visit_block(&branch.then_branch));
        if let Some((_, other)) = &branch.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_block(&mut self, block: &'a Block) {
        let outer = self.engine;
        for statement in &block.stmts {
            self.visit_stmt(statement);
            // `let Db::Postgres(pool) = db else { … };`
            if let Stmt::Local(local) = statement
                && local.init.as_ref().is_some_and(|init| init.diverge.is_some())
            {
                self.engine = engine_of(&local.pat).or(self.engine);
            }
            // `if let Db::Sqlite { .. } = db { return … }`
            if let Stmt::Expr(Expr::If(branch), _) = statement
                && let Expr::Let(condition) = &*branch.cond
                && let Some(Stmt::Expr(Expr::Return(_), _)) = branch.then_branch.stmts.last()
            {
                self.engine = match engine_of(&condition.pat) {
                    Some(Engine::Sqlite) => Some(Engine::Postgres),
                    Some(Engine::Postgres) => Some(Engine::Sqlite),
                    None => self.engine,
                };
            }
        }
        self.engine = outer;
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        if let Some(init) = &local.init {
            match &*init.expr {
                Expr::Closure(closure) => {
                    let parameters = closure.inputs.iter().map(|p| name_of(p).unwrap_or_default());
                    let name = name_of(&local.pat).unwrap_or_default();
                    self.closures.push((name, parameters.collect()));
                }
                value => self.lets.push((&local.pat, value)),
            }
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_for_loop(&mut self, each: &'a syn::ExprForLoop) {
        self.loops.push((&each.pat, &each.expr));
        visit::visit_expr_for_loop(self, each);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
        {
            self.calls.push((last.ident.to_string(), call.args.iter().collect()));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let name = call.method.to_string();
        if let ("sql" | "either", 1) = (name.as_str(), call.args.len()) {
            let line = call.method.span().start().line;
            self.statements.push((&call.args[0], self.engine, line));
        }
        self.calls.push((name, call.args.iter().collect()));
        visit::visit_expr_method_call(self, call);
    }
}

/// All sources, except tests.
#[derive(Default)]
struct Sources<'a> {
    file: &'a str,
    functions: Vec<Function<'a>>,
    constants: HashMap<(&'a str, String), &'a Expr>,
    depth: Cell<usize>,
}

const DEEPEST: usize = 30;

impl<'a> Sources<'a> {
    fn add(&mut self, signature: &'a syn::Signature, body: &'a Block) {
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(name_of(&typed.pat).unwrap_or_default()),
            syn::FnArg::Receiver(_) => None,
        });
        let mut inside = Inside::default();
        inside.visit_block(body);
        self.functions.push(Function {
            file: self.file,
            name: signature.ident.to_string(),
            parameters: parameters.collect(),
            body,
            inside,
        });
        // Items in the body.
        visit::visit_block(self, body);
    }
}

impl<'a> Visit<'a> for Sources<'a> {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.add(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
    }

    fn visit_item_const(&mut self, constant: &'a syn::ItemConst) {
        self.constants.insert((self.file, constant.ident.to_string()), &constant.expr);
    }
}

fn both(left: &Text, right: &Text) -> Option<Text> {
    let engine = match (left.1, right.1) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other),
    };
    Some(Text(format!("{}{}", left.0, right.0), engine))
}

fn joined(left: Vec<Text>, right: &[Text]) -> Vec<Text> {
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
    fn texts(&self, expr: &Expr, at: &Function, known: &Values) -> Outcome<Text> {
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

    /// The values of the variables in a pattern, if `name` is one of them. What is no text is left
    /// out.
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

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut waiting = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let inside = std::fs::read_dir(path).expect("the sources");
            waiting.extend(inside.map(|file| file.expect("a file").path()));
        } else if path.extension().is_some_and(|end| end == "rs")
            && !path.ends_with("statements.rs")
        {
            let text = std::fs::read_to_string(&path).expect("a source");
            let name = path.strip_prefix(folder).expect("a file of ours").display().to_string();
            files.push((name, text));
        }
    }
    files
}

/// Every statement with its place, and the number of places.
fn statements() -> (BTreeMap<(String, Option<Engine>), String>, usize) {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let parsed: Vec<(&str, syn::File)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), syn::parse_file(text).expect("Rust")))
        .collect();
    let mut sources = Sources::default();
    for (name, file) in &parsed {
        sources.file = name;
        sources.visit_file(file);
    }
    let mut all = BTreeMap::new();
    let mut unknown = Vec::new();
    let mut places = 0;
    for function in &sources.functions {
        // These only pass on what they are given.
        if function.file.starts_with("db") && ["sql", "either"].contains(&function.name.as_str()) {
            continue;
        }
        for (expr, engine, line) in &function.inside.statements {
            places += 1;
            let place = format!("{}:{line}", function.file);
            let engine = engine.or(match function.file {
                "backup/sqlite.rs" => Some(Engine::Sqlite),
                "backup/postgres.rs" => Some(Engine::Postgres),
                _ => None,
            });
            match sources.texts(expr, function, &Values::new()) {
                Ok(texts) => {
                    let only = [Text(String::new(), engine)];
                    for Text(text, engine) in joined(texts, &only) {
                        all.insert((text, engine), place.clone());
                    }
                }
                Err(why) => unknown.push(format!("{place}: {why}")),
            }
        }
    }
    assert!(unknown.is_empty(), "not evaluated:\n{}", unknown.join("\n"));
    // The parser does not look into macros.
    let own = |text: &str| text.split("mod tests {").next().unwrap_or_default().to_owned();
    let written = files
        .iter()
        .map(|(_, text)| own(text))
        .map(|text| text.matches(".sql(").count() + text.matches(".either(").count())
        .sum::<usize>();
    assert_eq!(places + PASSED_ON, written, "a statement stands where it is not found");
    (all, places)
}

/// Calls of `sql` in `sql` and `either` themselves.
const PASSED_ON: usize = 3;

const UNTYPED: &str = "could not determine data type of parameter";

async fn refused(db: &Db, text: &str) -> Option<String> {
    let text = AssertSqlSafe(text.to_owned()).into_sql_str();
    let outcome = match db {
        Db::Sqlite { write, .. } => write.prepare(text).await.map(drop),
        Db::Postgres(pool) => pool.prepare(text).await.map(drop),
    };
    match outcome {
        // The type of a parameter that is first compared with null comes from the value. PostgreSQL
        // looks for such parameters when all else is right.
        Err(sqlx::Error::Database(cause)) if cause.message().starts_with(UNTYPED) => None,
        Err(error) => Some(error.to_string()),
        Ok(()) => None,
    }
}

async fn check(db: &Db, engine: Engine) -> usize {
    db.migrate().await.expect("migrated");
    let (statements, _) = statements();
    let mut wrong = Vec::new();
    let mut prepared = 0;
    for ((text, only), place) in &statements {
        if only.is_some_and(|only| only != engine) {
            continue;
        }
        prepared += 1;
        if let Some(error) = refused(db, text).await {
            wrong.push(format!("{place}: {error}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{engine:?} refuses:\n{}", wrong.join("\n\n"));
    println!("{engine:?}: {prepared} statements");
    prepared
}

#[test]
fn statements_are_found() {
    let (statements, places) = statements();
    assert!(places > 450 && statements.len() > 450, "{places} places, {} texts", statements.len());
}

#[tokio::test]
async fn every_statement_is_valid_on_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}", folder.path().join("camp.db").display());
    let db = Db::open(&url).await.expect("a database");
    assert!(check(&db, Engine::Sqlite).await > 450);
    db.close().await;
}

#[tokio::test]
async fn every_statement_is_valid_on_postgres() {
    let server = std::env::var("CAMP_TEST_POSTGRES_URL")
        .expect("CAMP_TEST_POSTGRES_URL names no server; `just test` starts one for these tests");
    let name = format!("statements_{}", uuid::Uuid::now_v7().simple());
    let admin = Db::open(&server).await.expect("a server");
    let Db::Postgres(pool) = &admin else { panic!("{server} is no PostgreSQL") };
    let run = |text: String| AssertSqlSafe(text).into_sql_str();
    pool.execute(run(format!("create database {name}"))).await.expect("created");
    let (address, _) = server.rsplit_once('/').expect("an address");
    let db = Db::open(&format!("{address}/{name}")).await.expect("a database");
    assert!(check(&db, Engine::Postgres).await > 450);
    db.close().await;
    pool.execute(run(format!("drop database {name} with (force)"))).await.expect("dropped");
    admin.close().await;
}
