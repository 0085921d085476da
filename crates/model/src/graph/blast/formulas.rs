//! Formulas as netlists without state: every variable that they read, present or previous, is an input.

use super::{Blasted, NotFinite, bit_blast};
use crate::origin::Origin;
use crate::system::{Element, Mentions, Property, Role, System, SystemError, Variable};
use crate::term::{Symbol, Term};

/// Blasts Booleans: bad signal `i` is the negation of formula `i`. An integer needs limits, which are
/// assumed of it; inputs come in an order.
pub fn blast_formulas<K: Ord>(
    formulas: &[Term],
    limit: impl Fn(Term) -> Option<(i128, i128)>,
    order: impl Fn(Term) -> K,
) -> Result<Blasted, NotFinite> {
    let system = stateless(formulas, limit, order).map_err(|error| NotFinite {
        variable: None,
        why: format!("does not fit into a netlist: {error}"),
    })?;
    bit_blast(&system)
}

fn stateless<K: Ord>(
    formulas: &[Term],
    limit: impl Fn(Term) -> Option<(i128, i128)>,
    order: impl Fn(Term) -> K,
) -> Result<System, SystemError> {
    let mut system = System::default();
    let mut mentions = Mentions::default();
    formulas.iter().for_each(|one| mentions.add(*one));
    let mut leaves: Vec<Term> = mentions.variables.iter().copied().collect();
    leaves.sort_by_key(|leaf| (order(*leaf), leaf.id()));
    for leaf in leaves {
        let name = leaf.as_var().map_or("", |name| name.as_str()).to_string();
        let shadow = format!("{name}@leaf");
        system.declare(Variable {
            name: Symbol::new(&name),
            current: leaf,
            ..Variable::new(&shadow, leaf.sort(), Role::Input, Origin::generated())
        })?;
        if let Some((low, high)) = limit(leaf) {
            let [low, high] = [low, high].map(|end| Term::int(end as i64));
            let within = Term::and(&[low.le(leaf), leaf.le(high)]);
            let element = Element::constrain(Some(within), Some(within), Origin::generated());
            system.add_element(element)?;
        }
    }
    mentions
        .functions
        .iter()
        .for_each(|one| system.add_function(*one));
    for (at, term) in formulas.iter().enumerate() {
        system.add_property(Property {
            name: at.to_string(),
            term: *term,
            origin: Origin::generated(),
        })?;
    }
    Ok(system)
}
