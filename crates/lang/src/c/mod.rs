//! C.
#![allow(dead_code)]
mod headers;
mod literal;
mod parser;
mod preprocess;
mod scan;
mod syntax;
mod token;
