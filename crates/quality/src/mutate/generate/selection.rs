//! Which mutators are wanted, as people write it.
//!
//! A list of names of mutators and sets, from left to right: a name adds, and so does a name after
//! `+`; a name after `-` takes away. A list that begins with a sign goes on from `default`.

use crate::mutate::generate::mutators::{Mutator, Set, mutators};
use proofmark_source::nearest;
use std::fmt;
use std::str::FromStr;

/// Some mutators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Of each row of the registry, whether it is wanted.
    wanted: Vec<bool>,
}

/// Why a text selects nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelectionError {
    /// No mutator and no set has the name.
    Unknown {
        /// What was written.
        name: String,
        /// The known name that is closest, when one is close.
        near: Option<&'static str>,
    },
    /// No mutator is left.
    Empty,
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectionError::Empty => write!(f, "no mutator is selected"),
            SelectionError::Unknown { name, near } => {
                write!(f, "there is no mutator or set `{name}`")?;
                match near {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => write!(f, "; `proofmark mutators` lists them"),
                }
            }
        }
    }
}
impl std::error::Error for SelectionError {}

impl Selection {
    /// The mutators of a set.
    pub fn of(set: Set) -> Selection {
        let wanted = mutators().iter().map(|mutator| mutator.is_in(set));
        Selection {
            wanted: wanted.collect(),
        }
    }

    /// Every mutator of the registry.
    pub fn all() -> Selection {
        Selection {
            wanted: vec![true; mutators().len()],
        }
    }

    /// The mutators that are wanted, with their positions in the registry.
    pub fn mutators(&self) -> impl Iterator<Item = (usize, &'static Mutator)> {
        let rows = mutators().iter().enumerate();
        rows.filter(|(at, _)| self.wanted[*at])
    }

    /// Whether mutations that are the same are counted once. The published mutators by themselves
    /// keep the published counts.
    pub fn merges(&self) -> bool {
        self.mutators().any(|(_, row)| !row.is_in(Set::Paper))
    }

    fn change(&mut self, name: &str, wanted: bool) -> Result<(), SelectionError> {
        let set = Set::ALL.into_iter().find(|set| set.name() == name);
        let mut known = false;
        for (row, flag) in mutators().iter().zip(&mut self.wanted) {
            let meant = name == "all" || row.name == name || set.is_some_and(|set| row.is_in(set));
            if meant {
                (*flag, known) = (wanted, true);
            }
        }
        if known {
            return Ok(());
        }
        let sets = Set::ALL.into_iter().map(Set::name).chain(["all"]);
        let names = mutators().iter().map(|row| row.name).chain(sets);
        Err(SelectionError::Unknown {
            name: name.to_string(),
            near: nearest(name, names),
        })
    }
}

impl Default for Selection {
    fn default() -> Selection {
        Selection::of(Set::Default)
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Selection, SelectionError> {
        let text = text.trim();
        let mut selection = match text.starts_with(['+', '-']) {
            true => Selection::default(),
            false => Selection {
                wanted: vec![false; mutators().len()],
            },
        };
        for item in text.split(',').map(str::trim).filter(|one| !one.is_empty()) {
            match item.strip_prefix('-') {
                Some(name) => selection.change(name, false)?,
                None => selection.change(item.strip_prefix('+').unwrap_or(item), true)?,
            }
        }
        match selection.wanted.contains(&true) {
            true => Ok(selection),
            false => Err(SelectionError::Empty),
        }
    }
}

/// As it was selected: the name of a set, or the mutators.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Selection::all() {
            return write!(f, "all");
        }
        if let Some(set) = Set::ALL
            .into_iter()
            .find(|set| *self == Selection::of(*set))
        {
            return write!(f, "{}", set.name());
        }
        let names: Vec<&str> = self.mutators().map(|(_, row)| row.name).collect();
        write!(f, "{}", names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let selection: Selection = text.parse().unwrap();
        selection.mutators().map(|(_, row)| row.name).collect()
    }

    #[test]
    fn the_published_sets_have_the_published_sizes() {
        assert_eq!(names("jkind").len(), 26);
        assert_eq!(names("paper").len(), 35);
        assert_eq!(names("all").len(), mutators().len());
        assert!(!"paper".parse::<Selection>().unwrap().merges());
        assert!(!"or2xor,const".parse::<Selection>().unwrap().merges());
        assert!(Selection::default().merges());
    }

    #[test]
    fn a_list_adds_and_takes_away_from_left_to_right() {
        assert_eq!(names("const, or2xor"), ["or2xor", "const"]);
        let default = names("default");
        assert_eq!(names("+equal_-2").len(), default.len() + 1);
        assert_eq!(names("-const,-jkind").len(), default.len() - 26);
        assert_eq!(names("paper,-jkind,-equal_-2").len(), 8);
        assert_eq!(names("default,+or2xor"), default);
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest_known_one() {
        let error = |text: &str| text.parse::<Selection>().unwrap_err().to_string();
        let expected = "there is no mutator or set `or2xr`; did you mean `or2xor`?";
        assert_eq!(error("default,+or2xr"), expected);
        let expected = "there is no mutator or set `frobnicate`; `proofmark mutators` lists them";
        assert_eq!(error("frobnicate"), expected);
        assert_eq!(error("const,-const"), "no mutator is selected");
        assert_eq!(error(""), "no mutator is selected");
    }

    #[test]
    fn a_selection_is_displayed_as_it_can_be_written() {
        for text in ["jkind", "paper", "default", "all", "or2xor,const"] {
            assert_eq!(text.parse::<Selection>().unwrap().to_string(), text);
        }
    }
}
