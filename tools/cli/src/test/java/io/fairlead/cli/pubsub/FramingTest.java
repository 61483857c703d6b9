package io.fairlead.cli.pubsub;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.command.CommandFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How inputs are cut into messages, and messages put together again. */
@Timeout(60)
final class FramingTest {
    private static final int MAX = 8;

    @Test
    void shouldCutLinesOfAnyKind() throws IOException {
        assertEquals(List.of("a", "", "b\r", "12345678", "end"), lines("a\n\nb\r\n12345678\nend"));
        assertEquals(List.of(), lines(""));
        assertEquals(List.of(""), lines("\n"));
    }

    @Test
    void shouldNameTheLineThatIsTooLong() {
        CommandFailure failure = assertThrows(CommandFailure.class, () -> lines("a\n123456789\n"));
        assertTrue(String.valueOf(failure.getMessage()).startsWith("line too long: line=2, limit 8 bytes;"));
    }

    @Test
    void shouldReadBackWhatTheBinaryWriterWrote() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (MessageWriter writer = MessageWriter.binary(written)) {
            writer.write(new byte[0]);
            writer.write(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        }
        List<byte[]> read = all(MessageReader.binary(new ByteArrayInputStream(written.toByteArray()), MAX));
        assertEquals(2, read.size());
        assertEquals(0, read.getFirst().length);
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, read.getLast());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0\0\0\11", "\377\377\377\377", "\0\0\0\2a", "\0\0"})
    void shouldRefuseLengthsOverTheLimitAndInputsThatEndEarly(String input) {
        MessageReader reader =
                MessageReader.binary(new ByteArrayInputStream(input.getBytes(StandardCharsets.ISO_8859_1)), MAX);
        CommandFailure failure = assertThrows(CommandFailure.class, reader::next);
        assertTrue(String.valueOf(failure.getMessage()).contains("message=1"), String.valueOf(failure.getMessage()));
    }

    @Test
    void shouldReadBackAFileWithItsName() {
        NamedFile file = NamedFile.parse(new NamedFile("größe.bin", new byte[] {0, 1}).toMessage());
        assertEquals("größe.bin", file.name());
        assertArrayEquals(new byte[] {0, 1}, file.content());
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", ".", "../x", "/etc/passwd", "a/b", "a\0b"})
    void shouldRefuseNamesThatLeadOutOfTheFolder(String name) {
        byte[] message = new NamedFile(name, new byte[0]).toMessage();
        assertThrows(CommandFailure.class, () -> NamedFile.parse(message));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\0", "\0\0", "\0\5name", "\377\377name"})
    void shouldRefuseMessagesThatAreNoFile(String message) {
        assertThrows(CommandFailure.class, () -> NamedFile.parse(message.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static List<String> lines(String text) throws IOException {
        return all(MessageReader.lines(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), MAX)).stream()
                .map(line -> new String(line, StandardCharsets.UTF_8))
                .toList();
    }

    private static List<byte[]> all(MessageReader reader) throws IOException {
        List<byte[]> messages = new ArrayList<>();
        for (Optional<byte[]> next = reader.next(); next.isPresent(); next = reader.next()) {
            messages.add(next.get());
        }
        return messages;
    }
}
