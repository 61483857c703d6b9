package io.fairlead.internal.names;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class NearestNameTest {
    private static final List<String> KNOWN = List.of(
            "policy",
            "liveness.timeout",
            "connect.timeout",
            "endpoint.eager-max",
            "sub",
            "pub",
            "--listen",
            "--length");

    @ParameterizedTest
    @CsvSource({
        "'', '', 0",
        "a, '', 1",
        "'', abc, 3",
        "abc, abc, 0",
        "abc, abd, 1",
        "abc, ac, 1",
        "ac, abc, 1",
        "abcd, abdc, 1",
        "ca, abc, 3",
        "kitten, sitting, 3",
        "policy, polciy, 1"
    })
    void shouldCountWhatWasMistyped(String one, String other, int distance) {
        assertEquals(distance, NearestName.distance(one, other));
        assertEquals(distance, NearestName.distance(other, one));
    }

    @ParameterizedTest
    @CsvSource({
        "livenes.timeout, liveness.timeout",
        "polcy, policy",
        "polciy, policy",
        "policy.x, policy",
        "endpoint.eager-maximum, endpoint.eager-max",
        "subb, sub",
        "--lissen, --listen"
    })
    void shouldFindWhatWasProbablyMeant(String typed, String meant) {
        assertEquals(Optional.of(meant), NearestName.of(typed, KNOWN));
    }

    /** Something is always the nearest; what shares no more than a few letters with what was typed only misleads. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "bogus.key",
                "long",
                "x",
                "",
                "ucx.tls",
                "transport",
                "--zzzzzz",
                "fastest",
                "su",
                "doctor.timeout"
            })
    void shouldFindNothingForANameLikeNoOther(String typed) {
        assertEquals(
                Optional.empty(), NearestName.of(typed, List.of("policy", "connect.timeout", "--listen", "pub", "s")));
    }

    @Test
    void shouldFindNothingAmongNothing() {
        assertEquals(Optional.empty(), NearestName.of("policy", List.of()));
    }

    @Test
    void shouldTakeTheFirstByNameOfThoseThatAreEquallyNear() {
        assertEquals(Optional.of("aaa"), NearestName.of("aax", List.of("aay", "aab", "aaa")));
    }
}
