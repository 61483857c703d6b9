package io.fairlead.system.model;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The orders of a ring, which herd7 checks with the memory model of aarch64: enough, and none too many. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LitmusTest {
    private static final CheckScript LITMUS = CheckScript.of("testing/litmus");

    static List<String> tests() throws Exception {
        return LITMUS.names();
    }

    @ParameterizedTest
    @MethodSource("tests")
    void shouldSeeWhatTheNameSays(String test) throws Exception {
        LITMUS.check(test);
    }
}
