package io.fairlead.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.top.TextFormat.FormatException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class TextFormatTest {
    @Test
    void shouldReadSamplesBetweenCommentsAndEmptyLines() throws FormatException {
        assertEquals(
                List.of(
                        new Sample("a_total", Map.of(), 3),
                        new Sample("b:c", Map.of("x", "1", "y_2", "two words"), -0.5),
                        new Sample("d", Map.of(), 7)),
                TextFormat.parse("""
                        # HELP a_total What it is.
                        # TYPE a_total counter
                        a_total 3

                        # a remark
                        b:c{x="1",y_2="two words"} -5e-1
                        d{} 7.0 1700000000000
                        """));
        assertEquals(List.of(), TextFormat.parse(""));
    }

    @Test
    void shouldReadBlanksAndCommasWhereTheFormatAllowsThem() throws FormatException {
        assertEquals(
                List.of(new Sample("a", Map.of("x", "1", "y", "2"), 3)),
                TextFormat.parse("a { x = \"1\" , y=\"2\", }\t3  "));
    }

    @Test
    void shouldUndoEscapes() throws FormatException {
        assertEquals(
                "a\"b\\c\nd}e,",
                TextFormat.parse("m{x=\"a\\\"b\\\\c\\nd}e,\"} 1").getFirst().label("x"));
    }

    @ParameterizedTest
    @CsvSource({"+Inf,Infinity", "-Inf,-Infinity", "Inf,Infinity", "NaN,NaN", "1e-9,1e-9", ".5,0.5", "5.,5", "-0,-0.0"})
    void shouldReadNumbersAsGoWritesThem(String written, double expected) throws FormatException {
        assertEquals(expected, TextFormat.parse("a " + written).getFirst().value());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>",
                "{\"json\": 1}",
                "a",
                "a b",
                "a 1 2 3",
                "a 1 now",
                "1a 2",
                "a{x=1} 2",
                "a{x=\"1\" 2",
                "a{x=\"1} 2",
                "a{=\"1\"} 2",
                "a{x=\"1\"y=\"2\"} 3",
                "a{x=\"1\",x=\"2\"} 3",
                "a{x:y=\"1\"} 2",
                "a{x=\"\\t\"} 2",
                "a{,} 1",
                "a 0x1p3",
                "a 1_000",
                "a 1d",
                "HTTP/1.1 200 OK"
            })
    void shouldRefuseWhatIsNoSample(String line) {
        FormatException refused = assertThrows(FormatException.class, () -> TextFormat.parse("ok 1\n" + line));
        assertTrue(String.valueOf(refused.getMessage()).startsWith("line 2: expected "), refused::toString);
    }

    @Test
    void shouldShowTheBeginningOfALongLineWithoutControlCharacters() {
        FormatException refused =
                assertThrows(FormatException.class, () -> TextFormat.parse("\u001b[2J" + "x".repeat(500)));
        assertEquals("line 1: expected a name at column 1 of '?[2J" + "x".repeat(56) + "…'", refused.getMessage());
    }
}
