//! Plain Rust compiled once more for AVX2 or AVX-512, for methods that leave vectorisation to the compiler: the same
//! source, with the instructions the library's kernels may use. So what an instruction set is worth and what work by hand is
//! worth are told apart.

/// Declares `$name`, which is `$plain` (`#[inline(always)]`) compiled with these target features where the CPU has the library's
/// kernels for `$isa`, and `$plain` itself elsewhere.
macro_rules! for_isa {
    (
        $isa:ident $features:literal
        $(#[$doc:meta])* $visible:vis fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? = $plain:ident
    ) => {
        $(#[$doc])*
        #[allow(unsafe_code)]
        $visible fn $name($($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = $features)]
                fn inner($($arg: $type),*) $(-> $result)? {
                    $plain($($arg),*)
                }
                if biofast_kernels::kernels_for(biofast_kernels::Isa::$isa).is_some() {
                    // SAFETY: the kernels are there only if the CPU has all these features.
                    return unsafe { inner($($arg),*) };
                }
            }
            $plain($($arg),*)
        }
    };
}

/// [`for_isa`] for AVX2, BMI and POPCNT.
macro_rules! for_avx2 {
    ($($item:tt)*) => {
        $crate::entries::isa::for_isa! { Avx2 "avx2,bmi1,bmi2,lzcnt,popcnt" $($item)* }
    };
}

/// Declares plain code as it is, compiled for AVX2, and for AVX-512 with bytes and words, besides.
macro_rules! for_each_isa {
    (
        $plain:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?
        => $here:ident, $avx2:ident, $avx512:ident
    ) => {
        fn $here($($arg: $type),*) $(-> $result)? {
            $plain($($arg),*)
        }
        $crate::entries::isa::for_avx2! { fn $avx2($($arg: $type),*) $(-> $result)? = $plain }
        $crate::entries::isa::for_isa! {
            Avx512 "avx512f,avx512bw,avx512vl,avx512vbmi,avx2,bmi1,bmi2,lzcnt,popcnt"
            fn $avx512($($arg: $type),*) $(-> $result)? = $plain
        }
    };
}

pub(super) use {for_avx2, for_each_isa, for_isa};
