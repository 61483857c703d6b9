package io.fairlead.observation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class MessageContextTest {
    private static MessageContext decode(byte... bytes) {
        return MessageContext.decode(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    @Test
    void shouldReadWhatItWrote() {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        entries.put("tracestate", "");
        entries.put("baggage", "müesli=ja");
        MessageContext context = MessageContext.of(entries);
        byte[] bytes = context.encode();
        assertEquals(context, decode(bytes));
        assertEquals(
                List.copyOf(entries.keySet()),
                List.copyOf(decode(bytes).entries().keySet()));
        assertEquals("", context.value("tracestate").orElseThrow());
        assertTrue(context.value("Baggage").isEmpty());

        MemorySegment among = MemorySegment.ofArray(new byte[bytes.length + 9]);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, among, 5, bytes.length);
        assertEquals(context, MessageContext.decode(among, 5, bytes.length));
    }

    @Test
    void shouldBeEmptyWithoutEntries() {
        assertSame(MessageContext.EMPTY, MessageContext.of(Map.of()));
        assertEquals(1, MessageContext.EMPTY.encode().length);
        assertTrue(decode((byte) 0).isEmpty());
    }

    @Test
    void shouldTakeAsMuchAsTheLimitsSay() {
        Map<String, String> many = new LinkedHashMap<>();
        for (int i = 0; i < MessageContext.ENTRIES_MAX; i++) {
            many.put("n" + i, "v");
        }
        assertEquals(MessageContext.of(many), decode(MessageContext.of(many).encode()));
        many.put("one-more", "v");
        assertMentions("count=33, limit=32", many);

        String name = "n".repeat(MessageContext.NAME_MAX);
        int room = MessageContext.BYTES_MAX - 1 - 3 - name.length();
        MessageContext longest = MessageContext.of(Map.of(name, "é".repeat(room / 2)));
        assertEquals(MessageContext.BYTES_MAX, longest.encode().length);
        assertEquals(longest, decode(longest.encode()));
        assertMentions("length=4097, limit=4096 bytes", Map.of(name, "é".repeat(room / 2) + "x"));
        assertMentions("length=65", Map.of(name + "n", "v"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "é", "a\u0007"})
    void shouldRefuseNamesThatAreNone(String name) {
        assertMentions("name in a message context", Map.of(name, "v"));
    }

    @Test
    void shouldRefuseControlCharactersInValues() {
        assertMentions("holds a control character: name=a", Map.of("a", "x\ny"));
    }

    @Test
    void shouldKeepWhatAPeerCallsAnEntryOnOneLine() {
        byte[] twice = {2, 2, 'a', '\n', 0, 0, 2, 'a', '\n', 0, 0};
        FairleadException malformed = assertThrows(FairleadException.class, () -> decode(twice));
        assertEquals(Reason.PROTOCOL_VIOLATION, malformed.reason());
        assertTrue(
                String.valueOf(malformed.getMessage()).chars().noneMatch(Character::isISOControl),
                malformed::getMessage);
    }

    @Test
    void shouldTakeNoiseForWhatItIs() {
        SplittableRandom random = new SplittableRandom(5);
        byte[] good = MessageContext.of(Map.of("a", "b", "cc", "dd")).encode();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            int length = random.nextInt(bytes.length + 1);
            try {
                MessageContext read = MessageContext.decode(MemorySegment.ofArray(bytes), 0, length);
                assertEquals(read, MessageContext.of(read.entries()));
            } catch (FairleadException malformed) {
                assertEquals(Reason.PROTOCOL_VIOLATION, malformed.reason());
                assertTrue(malformed.getMessage().startsWith("message context is malformed: "));
            }
        }
    }

    private static void assertMentions(String expected, Map<String, String> entries) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> MessageContext.of(entries));
        assertTrue(String.valueOf(refused.getMessage()).contains(expected), refused::getMessage);
    }
}
