package io.fairlead.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class NearestNameTest {
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

    @Test
    void shouldAskForWhatIsNearAndNameWhatIsNot() {
        List<String> known = List.of("policy", "liveness.timeout", "connect.timeout");
        assertEquals("did you mean liveness.timeout?", NearestName.hint("", "livenes.timeout", known, "; or not"));
        assertEquals("did you mean A_policy?", NearestName.hint("A_", "polcy", known, "; or not"));
        assertEquals("did you mean policy?", NearestName.hint("", "polciy", known, "; or not"));
        assertEquals("the nearest is policy; or not", NearestName.hint("", "x", known, "; or not"));
    }

    @Test
    void shouldTakeTheFirstByNameOfThoseThatAreEquallyNear() {
        assertEquals("did you mean aa?", NearestName.hint("", "ax", List.of("ay", "ab", "aa"), ""));
    }
}
