//! The functions and constants of the sources, with the statements in them.

use std::cell::Cell;
use std::collections::HashMap;

use syn::visit::{self, Visit};
use syn::{Block, Expr, Pat, Stmt};

use super::Engine;

pub(super) struct Function<'a> {
    pub(super) file: &'a str,
    pub(super) name: String,
    /// Without `self`.
    pub(super) parameters: Vec<String>,
    pub(super) body: &'a Block,
    pub(super) inside: Inside<'a>,
}

/// What matters in the body of a function.
#[derive(Default)]
pub(super) struct Inside<'a> {
    pub(super) engine: Option<Engine>,
    pub(super) statements: Vec<(&'a Expr, Option<Engine>, usize)>,
    pub(super) calls: Vec<(String, Vec<&'a Expr>)>,
    pub(super) lets: Vec<(&'a Pat, &'a Expr)>,
    pub(super) loops: Vec<(&'a Pat, &'a Expr)>,
    pub(super) closures: Vec<(String, Vec<String>)>,
}

/// The engine that a pattern names.
pub(super) fn engine_of(pattern: &Pat) -> Option<Engine> {
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

pub(super) fn name_of(pattern: &Pat) -> Option<String> {
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
pub(super) struct Sources<'a> {
    pub(super) file: &'a str,
    pub(super) functions: Vec<Function<'a>>,
    pub(super) constants: HashMap<(&'a str, String), &'a Expr>,
    pub(super) depth: Cell<usize>,
}

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
