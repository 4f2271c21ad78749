//! Reports for people: a page for the browser ([`html`]), and plots for the terminal ([`plot`]).
//!
//! Both take the structs that are printed as JSON, so that what is drawn is what can be read.

mod bins;
pub mod fastqc;
pub mod html;
mod number;
pub mod plot;
