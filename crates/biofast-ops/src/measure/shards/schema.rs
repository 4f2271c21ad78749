//! Which plans this version reads, and how many shards they have.

/// The `schema` of a plan.
pub const SCHEMA: &str = "biofast.shards";

/// The `schema_version` of a plan. Fields may be added within a version.
pub const SCHEMA_VERSION: u32 = 1;

/// The most shards a plan can have.
pub const MAX_SHARDS: u64 = 100_000;
