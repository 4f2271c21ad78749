//! Alignment records: BAM framing and headers
