package io.fairlead.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ScreenTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void shouldDrawOverTheLastFrameAndLeaveTheTerminalAsItWas() {
        try (Screen screen = Screen.on(out, true)) {
            screen.show(List.of("one"));
            screen.show(List.of("two", "lines"));
        }
        assertEquals(
                "\u001b[?1049h\u001b[?25l\u001b[Hone\u001b[K\u001b[J" + "\u001b[Htwo\u001b[K\r\nlines\u001b[K\u001b[J"
                        + "\u001b[?25h\u001b[?1049l",
                bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldCutOffWhatTheTerminalHasNoRoomFor() {
        try (Screen screen = Screen.on(out, true)) {
            screen.show(Collections.nCopies(5000, "x".repeat(5000)));
        }
        String drawn = bytes.toString(StandardCharsets.UTF_8);
        assertTrue(drawn.length() < 5_000_000, "drawn: " + drawn.length());
    }

    @Test
    void shouldPrintFramesBelowEachOtherWhereThereIsNoTerminal() {
        try (Screen screen = Screen.on(out, false)) {
            screen.show(List.of("one", "two"));
            screen.show(List.of("three"));
        }
        assertEquals("one\ntwo\n\nthree\n", bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldCommandNoTerminalInTheNameOfAnotherProcess() {
        try (Screen screen = Screen.on(out, false)) {
            screen.show(List.of("shm\u001b]0;owned\u0007", "\u009b2Jpath\r\nforged", "\u202eback"));
        }
        assertEquals("shm ]0;owned \n 2Jpath  forged\n back\n", bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldPrintDocumentsLineByLine() {
        try (Screen screen = Screen.plain(out)) {
            screen.show(List.of("{}"));
            screen.show(List.of("{}"));
        }
        assertEquals("{}\n{}\n", bytes.toString(StandardCharsets.UTF_8));
    }
}
