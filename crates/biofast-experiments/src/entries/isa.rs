//! Plain Rust compiled a second time for AVX2, for methods that leave vectorisation to the compiler: the same
//! source, with the instructions the library's kernels may use.

/// Declares `$name`, which is `$plain` (`#[inline(always)]`) compiled for AVX2, BMI and POPCNT where the CPU has them, and
/// `$plain` itself elsewhere.
macro_rules! for_avx2 {
    ($(#[$doc:meta])* $visible:vis fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? = $plain:ident) => {
        $(#[$doc])*
        #[allow(unsafe_code)]
        $visible fn $name($($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn inner($($arg: $type),*) $(-> $result)? {
                    $plain($($arg),*)
                }
                if biofast_kernels::kernels_for(biofast_kernels::Isa::Avx2).is_some() {
                    // SAFETY: the kernels are there only if the CPU has all these features.
                    return unsafe { inner($($arg),*) };
                }
            }
            $plain($($arg),*)
        }
    };
}

pub(super) use for_avx2;
