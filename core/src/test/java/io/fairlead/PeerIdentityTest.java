package io.fairlead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
final class PeerIdentityTest {
    @Test
    void shouldTellTheSpiffeIdWhereThereIsOne() {
        PeerIdentity peer = new PeerIdentity(
                "CN=feed-1",
                List.of("feed-1.example.org"),
                List.of("https://example.org", "spiffe://example.org/feed"));

        assertEquals(Optional.of("spiffe://example.org/feed"), peer.spiffeId());
        assertEquals("spiffe://example.org/feed", peer.toString());
        assertEquals("CN=feed-1", PeerIdentity.named("CN=feed-1").toString());
        assertEquals(Optional.empty(), PeerIdentity.ANONYMOUS.spiffeId());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\u001b[31m", "a\u2028b", "a\u202eb", "a\ud800"})
    void shouldRefuseWhatDoesNotShowAsOneLine(String text) {
        assertThrows(IllegalArgumentException.class, () -> PeerIdentity.named(text));
        assertThrows(IllegalArgumentException.class, () -> new PeerIdentity("CN=a", List.of(text), List.of()));
        assertThrows(IllegalArgumentException.class, () -> new PeerIdentity("CN=a", List.of(), List.of(text)));
    }

    @Test
    void shouldBoundTheLengthOfATextAndTheirNumber() {
        String longest = "a".repeat(PeerIdentity.LENGTH_MAX);
        List<String> most = Collections.nCopies(PeerIdentity.NAMES_MAX, "a");

        assertEquals(longest, new PeerIdentity(longest, most, most).name());
        IllegalArgumentException tooLong =
                assertThrows(IllegalArgumentException.class, () -> PeerIdentity.named(longest + "a"));
        assertTrue(tooLong.getMessage().contains("1025 characters, at most 1024"), tooLong::getMessage);
        List<String> tooMany = Collections.nCopies(PeerIdentity.NAMES_MAX + 1, "a");
        assertThrows(IllegalArgumentException.class, () -> new PeerIdentity("CN=a", tooMany, List.of()));
        assertThrows(IllegalArgumentException.class, () -> new PeerIdentity("CN=a", List.of(), tooMany));
    }
}
