package io.fairlead.spi.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What two processes say that they do not have in common. */
final class HostIdentityTest {
    private static final String HERE = "boot-1 pid:[1] ipc:[2] 0";

    @Test
    void shouldSayWhichPartDiffers() {
        assertEquals("they run on different hosts", difference("boot-2 pid:[1] ipc:[2] 0"));
        assertEquals(
                "they have different pid namespaces (listener=pid:[1], connector=pid:[9])",
                difference("boot-1 pid:[9] ipc:[2] 0"));
        assertEquals(
                "they have different ipc namespaces (listener=ipc:[2], connector=ipc:[9])"
                        + " and different users (listener=0, connector=1000)",
                difference("boot-1 pid:[1] ipc:[9] 1000"));
    }

    @Test
    void shouldKeepWhatAPeerMadeUpShortAndOnOneLine() {
        assertEquals("they run on different hosts", difference(""));
        assertEquals("they run on different hosts", difference("boot-1 a b c d"));
        String difference = difference("boot-1 pid:[1] ipc:[2] " + "x\n".repeat(10_000));
        assertTrue(difference.length() < 120 && difference.indexOf('\n') < 0, difference);
        // Some terminals take U+009B for the beginning of a command.
        assertTrue(difference("boot-1 pid:[1] ipc:[2] a\u009bb").contains("connector=a?b"));
    }

    @Test
    void shouldHaveAllPartsItself() {
        HostIdentity here = HostIdentity.here("pid", "ipc");
        String own = new String(here.bytes(), StandardCharsets.UTF_8);
        assertTrue(here.isSame(here.bytes()) && !here.isSame(new byte[0]));
        assertEquals(
                "they have different users (listener=" + own.split(" ")[3] + ", connector=nobody)",
                here.difference((own.substring(0, own.lastIndexOf(' ')) + " nobody").getBytes(StandardCharsets.UTF_8)));
    }

    private static String difference(String connector) {
        return HostIdentity.of(HERE, "pid", "ipc").difference(connector.getBytes(StandardCharsets.UTF_8));
    }
}
