//! The same work on many things, by some threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many are not worth a thread.
const FEW: usize = 64;
/// Each thread gets about so many pieces, so that none waits long for another.
const PIECES: usize = 4;

/// What `work` makes of each item, in their order. Every thread starts with something of its own.
pub(crate) fn map<T: Sync, S, R: Send>(
    jobs: usize,
    items: &[T],
    start: &(dyn Fn() -> S + Sync),
    work: &(dyn Fn(&mut S, &T) -> R + Sync),
) -> Vec<R> {
    if jobs <= 1 || items.len() <= FEW {
        let mut own = start();
        return items.iter().map(|item| work(&mut own, item)).collect();
    }
    let pieces: Vec<&[T]> = items.chunks(items.len().div_ceil(jobs * PIECES)).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut own = start();
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst);
                    let Some(piece) = pieces.get(at) else {
                        return;
                    };
                    let made: Vec<R> = piece.iter().map(|item| work(&mut own, item)).collect();
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((at, made));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, FEW, FEW + 1, 1000] {
            let items: Vec<usize> = (0..count).collect();
            for jobs in [0, 1, 2, 7] {
                let made = map(jobs, &items, &|| (), &|(), item| item * 2);
                let wanted: Vec<usize> = items.iter().map(|item| item * 2).collect();
                assert_eq!(made, wanted, "{count} items, {jobs} jobs");
            }
        }
    }
}
