//! x86-64: AVX2 and AVX-512. Each level is handed out only after the CPU was asked for it.

mod avx2;
mod avx2_columns;
mod avx2_packed;
mod avx2_quick_columns;
mod avx2_reads;
mod avx2_registers;
mod avx512;
mod avx512_columns;
mod avx512_packed;
mod avx512_registers;

use crate::Kernels;

pub(crate) fn avx2_kernels() -> Option<&'static Kernels> {
    has_avx2().then_some(&avx2::KERNELS)
}

pub(crate) fn avx512_kernels() -> Option<&'static Kernels> {
    let has_avx512 = has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("gfni");
    has_avx512.then_some(&avx512::KERNELS)
}

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}
