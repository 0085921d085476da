//! SMT-LIB 2.6: scripts read, run on any solver, and terms written.

pub(crate) mod lexer;
mod macros;
mod names;
mod operators;
pub mod printer;
mod reader;
mod script;
mod stream;
mod terms;

pub use lexer::Fault;
pub use reader::{Command, Located, Reader};
pub use script::{Script, ScriptError, Summary};
pub use stream::Stream;
