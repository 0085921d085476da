//! Things to be forgotten with a scope.

/// A list of things for each scope that is open.
pub(super) struct ScopedLog<T> {
    scopes: Vec<Vec<T>>,
}

impl<T> Default for ScopedLog<T> {
    fn default() -> Self {
        ScopedLog { scopes: Vec::new() }
    }
}

impl<T> ScopedLog<T> {
    /// Notes a thing that lives until `scope` is closed; 0 is never closed and notes nothing.
    pub(super) fn note(&mut self, scope: u32, thing: T) {
        if scope == 0 {
            return;
        }
        self.keep(scope, thing);
    }

    /// Like `note`, but keeps the things of scope 0 too.
    pub(super) fn keep(&mut self, scope: u32, thing: T) {
        let scope = scope as usize;
        if self.scopes.len() <= scope {
            self.scopes.resize_with(scope + 1, Vec::new);
        }
        self.scopes[scope].push(thing);
    }

    /// What goes when `scope`, the innermost, is closed.
    pub(super) fn close(&mut self, scope: u32) -> Vec<T> {
        self.scopes
            .get_mut(scope as usize)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.scopes.iter_mut().flatten()
    }
}
