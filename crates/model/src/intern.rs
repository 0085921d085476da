//! The interner: one shared, immortal copy of each distinct value.
//!
//! Interned values are `&'static`: reading one takes no lock and no reference count, handles are
//! `Copy`, threads share them freely, and equality is equality of pointers. The price is that they
//! live until the process ends; a run of the model checker makes few enough of them. The table is
//! split into shards, each behind its own lock, so that threads seldom meet.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 16;

pub(crate) struct Interner<T: 'static> {
    shards: [Mutex<HashTable<(u64, &'static T)>>; SHARDS],
}

impl<T> Interner<T> {
    pub(crate) const fn new() -> Interner<T> {
        Interner {
            shards: [const { Mutex::new(HashTable::new()) }; SHARDS],
        }
    }

    /// The interned value with this hash for which `same` holds, made by `make` when there is none.
    pub(crate) fn find_or_make(
        &self,
        hash: u64,
        same: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> &'static T {
        // Poisoned only by a failed allocation, which leaves the table whole.
        let shard = &self.shards[(hash >> 40) as usize % SHARDS];
        let mut table = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, known)) = table.find(hash, |&(_, known)| same(known)) {
            return known;
        }
        let made: &'static T = Box::leak(Box::new(make()));
        table.insert_unique(hash, (hash, made), |&(hash, _)| hash);
        made
    }
}

impl<T: Hash + Eq + Clone> Interner<T> {
    pub(crate) fn intern(&self, value: &T) -> &'static T {
        self.find_or_make(hash_of(value), |known| known == value, || value.clone())
    }
}

pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
