package io.fairlead.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.EndpointState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class ConfigKeyTest {
    private static final ConfigKey<Duration> DURATION = ConfigKey.duration(
            "a.timeout", Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofMinutes(10), "How long.");
    private static final ConfigKey<Integer> BYTES = ConfigKey.bytes("a.bytes", 1 << 20, 4096, 1 << 30, "How much.");
    private static final ConfigKey<Integer> COUNT = ConfigKey.count("a-max", 7, -1, 100, "How many.");
    private static final ConfigKey<String> TEXT = ConfigKey.text("a.name", "", 4, "What name.");
    private static final ConfigKey<String> WORD =
            ConfigKey.choice("a.word", "one", List.of("one", "two-three", "four"), "Which word.");
    private static final ConfigKey<EndpointState> STATE =
            ConfigKey.choice("a.state", EndpointState.class, EndpointState.CONNECTING, "Which state.");

    @Test
    void shouldReadDurationsAtTheirLimitsAndNotBeyond() {
        assertEquals(Duration.ofMillis(100), DURATION.parse("100"));
        assertEquals(Duration.ofMinutes(10), DURATION.parse("10 minutes"));
        assertRefused(DURATION, "99999 us", "a.timeout=99999 us is out of range: allowed 100 ms to 10 minutes");
        assertRefused(DURATION, "600001", "a.timeout=600001 ms is out of range: allowed 100 ms to 10 minutes");
        assertRefused(
                DURATION,
                "2x",
                "a.timeout=2x is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 10 minutes");
        assertRefused(DURATION, "999999999999999999 d", "is out of range");
        assertRefused(
                DURATION,
                "10 min",
                "a.timeout=10 min is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 10 minutes");
        assertRefused(
                DURATION, "2 S", "a.timeout=2 S is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d)");
        assertRefused(DURATION, "-1 s", "a.timeout=-1 s is out of range");
        assertRefused(DURATION, "", "a.timeout= is not a duration");
    }

    @Test
    void shouldReadSizesAtTheirLimitsAndNotBeyond() {
        assertEquals(4096, BYTES.parse("4k"));
        assertEquals(1 << 30, BYTES.parse("1 GiB"));
        assertRefused(BYTES, "4095", "a.bytes=4095 bytes is out of range: allowed 4 KiB to 1 GiB");
        assertRefused(BYTES, "1073741825", "a.bytes=1073741825 bytes is out of range: allowed 4 KiB to 1 GiB");
        assertRefused(BYTES, "8 GiB", "a.bytes=8 GiB is out of range");
        assertRefused(
                BYTES,
                "64q",
                "a.bytes=64q is not a size (units are case-sensitive: B, KiB, MiB, GiB, kB, MB, GB): allowed 4 KiB to 1 GiB");
        assertRefused(
                BYTES,
                "64 kib",
                "a.bytes=64 kib is not a size (units are case-sensitive: B, KiB, MiB, GiB, kB, MB, GB)");
        assertRefused(BYTES, "0.5", "a.bytes=0.5 bytes is out of range");
        assertRefused(BYTES, "-1", "a.bytes=-1 is not a size");
    }

    @Test
    void shouldReadWholeNumbersAtTheirLimitsAndNotBeyond() {
        assertEquals(-1, COUNT.parse("-1"));
        assertEquals(100, COUNT.parse(" 100 "));
        assertRefused(COUNT, "-2", "a-max=-2 is out of range: allowed -1 to 100");
        assertRefused(COUNT, "101", "a-max=101 is out of range: allowed -1 to 100");
        assertRefused(COUNT, "9223372036854775807", "is out of range");
        assertRefused(COUNT, "9223372036854775808", "is not a whole number");
        assertRefused(COUNT, "1.0", "a-max=1.0 is not a whole number: allowed -1 to 100");
        assertRefused(COUNT, "many", "is not a whole number");
    }

    @Test
    void shouldReadOneLineOfTextUpToItsBytes() {
        assertEquals("", TEXT.parse(""));
        assertEquals("éé", TEXT.parse("éé"));
        assertEquals(" a ", TEXT.parse(" a "));
        assertRefused(TEXT, "ééa", "a.name=ééa is too long: allowed one line of at most 4 bytes in UTF-8");
        assertRefused(TEXT, "a\nb", "a.name=a b contains a control character");
        assertRefused(TEXT, "\u2028", "contains a control character");
        assertRefused(TEXT, "\u2029", "contains a control character");
    }

    @Test
    void shouldReadOneOfTheWordsInAnyCase() {
        assertEquals("two-three", WORD.parse(" Two-Three "));
        assertRefused(WORD, "three", "a.word=three is none of the choices: allowed one, two-three or four");
        assertEquals(EndpointState.FAILED, STATE.parse("FAILED"));
        assertEquals("connecting", STATE.format(EndpointState.CONNECTING));
        assertRefused(STATE, "broken", "a.state=broken is none of the choices: allowed connecting, ");
        assertEquals(
                "only", ConfigKey.choice("k", "only", List.of("only"), "One.").range());
    }

    @Test
    void shouldTellWhatItIs() {
        assertEquals("a.timeout", DURATION.name());
        assertEquals(Duration.class, DURATION.type());
        assertEquals(Duration.ofSeconds(2), DURATION.defaultValue());
        assertEquals("ms", DURATION.unit());
        assertEquals("100 ms to 10 minutes", DURATION.range());
        assertEquals("How long.", DURATION.description());
        assertEquals("bytes", BYTES.unit());
        assertEquals("", COUNT.unit());
        assertEquals("a-max", COUNT.toString());
        assertEquals("FAIRLEAD_A_MAX", COUNT.environmentVariable());
        assertEquals("FAIRLEAD_A_TIMEOUT", DURATION.environmentVariable());
    }

    @Test
    void shouldReadAnyTypeThatItsParserKnows() {
        ConfigKey<Character> key =
                ConfigKey.of("a.letter", Character.class, 'x', "", "x or y", "Which letter.", text -> switch (text) {
                    case "x", "y" -> text.charAt(0);
                    default -> throw new IllegalArgumentException("nobody sees this");
                });
        assertEquals('y', key.parse("y"));
        assertEquals("x", key.format('x'));
        assertRefused(key, "z", "a.letter=z is not valid: allowed x or y");
    }

    @Test
    void shouldShowTheBeginningOfLongTextOnOneLine() {
        assertRefused(COUNT, "1\n".repeat(100), "a-max=" + "1 ".repeat(40) + "... is not a whole number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "a..b", ".a", "a.", "a-", "-a", "a_b", "a b", "a.-b", "é"})
    void shouldRefuseNamesThatNoFileCouldHold(String name) {
        String message = assertThrows(IllegalArgumentException.class, () -> ConfigKey.count(name, 1, 0, 2, "How many."))
                .getMessage();
        assertTrue(message.startsWith("not a key's name: name=" + name), message);
    }

    @Test
    void shouldRefuseDefaultsOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> ConfigKey.count("k", 3, 0, 2, "How many."));
        assertThrows(IllegalArgumentException.class, () -> ConfigKey.bytes("k", 3, 4, 8, "How much."));
        assertThrows(IllegalArgumentException.class, () -> ConfigKey.text("k", "abc", 2, "What."));
        assertThrows(IllegalArgumentException.class, () -> ConfigKey.choice("k", "a", List.of("b"), "What."));
        assertThrows(
                IllegalArgumentException.class,
                () -> ConfigKey.duration("k", Duration.ZERO, Duration.ofMillis(1), Duration.ofMillis(2), "How long."));
        Duration day = Duration.ofDays(1);
        Duration eternity = Duration.ofSeconds(Long.MAX_VALUE);
        assertThrows(
                IllegalArgumentException.class,
                () -> ConfigKey.duration("k", day, Duration.ZERO, eternity, "How long."));
        assertThrows(
                IllegalArgumentException.class,
                () -> ConfigKey.duration("k", day, Duration.ofNanos(-1), day, "How long."));
    }

    @Test
    void shouldWriteItsEntryOfAReferenceFile() {
        assertEquals("""
                # How long.
                # Type: duration (a bare number is ms). Default: 2 s.
                # Range: 100 ms to 10 minutes.
                # Environment: FAIRLEAD_A_TIMEOUT
                # a.timeout = 2 s
                """, DURATION.reference());
        assertTrue(BYTES.reference().contains("# Type: size (a bare number is bytes). Default: 1 MiB.\n"));
        assertTrue(COUNT.reference().contains("# Type: number. Default: 7.\n"));
        assertTrue(TEXT.reference().contains("# Type: text. Default: empty.\n"));
        assertTrue(TEXT.reference().endsWith("# a.name = \"\"\n"));
    }

    private static void assertRefused(ConfigKey<?> key, String text, String expected) {
        String message = assertThrows(IllegalArgumentException.class, () -> key.parse(text))
                .getMessage();
        assertTrue(message.contains(expected), message);
    }
}
