"""Words that a C or C++ program cannot use as names: keywords, macros, functions of math.h."""

from itertools import product

_KEYWORDS = """alignas alignof asm auto bool break case catch char char16_t char32_t char8_t class
    co_await co_return co_yield concept const const_cast consteval constexpr constinit continue
    decltype default delete do double dynamic_cast else enum explicit export extern false float for
    friend goto if inline int long mutable namespace new noexcept noreturn nullptr operator private
    protected public register reinterpret_cast requires restrict return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while
    and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq main"""
"""The keywords of C23 and C++20, and the name that is kept for the program."""
_FUNCTIONS = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp
    exp10 exp2 expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn
    ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
    nexttoward pow pow10 remainder remquo rint round scalb scalbln scalbn significand sin sincos
    sinh sqrt tan tanh tgamma trunc y0 y1 yn"""
"""The functions of math.h, each also with f and l at its end."""
_OTHERS = """abs labs llabs double_t float_t signgam linux unix fpclassify iscanonical iseqsig
    isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal
    issignaling issubnormal isunordered iszero signbit math_errhandling"""
"""What else of math.h is a name of its own, and the macros of some compilers."""
_MATH_MACROS = """DOMAIN HUGE INFINITY MATH_ERREXCEPT MATH_ERRNO MAXFLOAT NAN OVERFLOW PLOSS SING
    SNAN SNANF SNANL TLOSS UNDERFLOW FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN
    FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO
    FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO
    HUGE_VAL HUGE_VALF HUGE_VALL"""
_NUMBERS = """M_1_PI M_2_PI M_2_SQRTPI M_3PI_4 M_E M_INVLN2 M_IVLN10 M_LN10 M_LN2 M_LN2HI M_LN2LO
    M_LOG10E M_LOG2E M_LOG2_E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 M_SQRT3 M_SQRTPI M_TAU M_TWOPI"""
"""The numbers of math.h, each also with the letters of a type at its end."""
_HEADERS = """BUFSIZ CHAR_BIT CLOCKS_PER_SEC CMPLX CMPLXF CMPLXL EDOM EILSEQ EOF ERANGE
    EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX FLT_EVAL_METHOD FLT_RADIX FLT_ROUNDS FOPEN_MAX I
    L_tmpnam MB_CUR_MAX MB_LEN_MAX NDEBUG NULL RAND_MAX SEEK_CUR SEEK_END SEEK_SET
    SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM SIG_DFL SIG_ERR SIG_IGN TIME_UTC TMP_MAX WEOF
    assert complex errno imaginary kill_dependency offsetof setjmp stderr stdin stdout va_arg
    va_copy va_end va_start"""
"""The macros of the other headers of C; limits are below."""
_SYSTEM = """BIG_ENDIAN BYTE_ORDER FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO LITTLE_ENDIAN NFDBITS
    PDP_ENDIAN WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG
    WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED alloca"""
"""The macros of the system that math.h has in C++ on Linux."""
_TYPES = ("", "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x")
_WHOLE = "CHAR INT LLONG LONG PTRDIFF SCHAR SHRT SIG_ATOMIC SIZE UCHAR UINT ULLONG ULONG USHRT"
_LIMITS = """DECIMAL_DIG DIG EPSILON HAS_SUBNORM MANT_DIG MAX MAX_10_EXP MAX_EXP MIN MIN_10_EXP
    MIN_EXP NORM_MAX TRUE_MIN"""


def _joined(starts: str, ends: str | tuple[str, ...], between: str = "") -> set[str]:
    parts = ends.split() if isinstance(ends, str) else ends
    return {between.join(pair) for pair in product(starts.split(), parts)}


C_WORDS = frozenset(
    {
        *" ".join((_KEYWORDS, _OTHERS, _MATH_MACROS, _HEADERS, _SYSTEM)).split(),
        *_joined(_FUNCTIONS, ("", "f", "l")),
        *_joined(_NUMBERS, _TYPES),
        *_joined("HUGE_VAL_ SNAN", ("F16", "F32", "F64", "F128", "F32X", "F64X")),
        *_joined(f"{_WHOLE} WCHAR WINT", "MAX MIN WIDTH", "_"),
        *_joined("DBL FLT LDBL", _LIMITS, "_"),
        "DECIMAL_DIG",
    }
)
"""Words that no column is called: other names are free."""
