package io.fairlead.spi.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({"localhost:1, localhost, 1", "127.0.0.1:0, 127.0.0.1, 0", "[::1]:65535, ::1, 65535"})
    void shouldReadAndWriteAnAddress(String text, String host, int port) {
        assertEquals(host, HostPort.parse(text, 0).getHostString());
        assertEquals(port, HostPort.parse(text, 0).getPort());
        assertEquals(text, HostPort.text(HostPort.parse(text, 0)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "localhost:",
                ":1",
                " :1",
                "::1:80",
                "localhost:x",
                "localhost:-1",
                "localhost:+80",
                "localhost: 80",
                "localhost:\u0668\u0660",
                "localhost:99999999999",
                "localhost:65536",
                "localhost:0"
            })
    void shouldNameTheTextAndTheFormOfAMalformedAddress(String text) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> HostPort.parse(text, 1));
        assertTrue(refused.getMessage().contains("address=\"" + text + "\""), refused.getMessage());
        assertTrue(refused.getMessage().endsWith("write HOST:PORT, such as 10.0.0.1:7400"), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[::1]:7400", "127.0.0.1:7400"})
    void shouldWriteAnAddressThatWasLookedUp(String text) {
        assertEquals(text.replace("[::1]", "[0:0:0:0:0:0:0:1]"), HostPort.text(HostPort.resolve(text, 1)));
    }
}
