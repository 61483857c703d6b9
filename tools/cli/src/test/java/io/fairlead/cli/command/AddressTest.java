package io.fairlead.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@Timeout(60)
final class AddressTest {
    @ParameterizedTest
    @CsvSource({
        "localhost:1, localhost, 1, localhost:1",
        "0, 127.0.0.1, 0, 127.0.0.1:0",
        "[::1]:65535, ::1, 65535, [::1]:65535"
    })
    void shouldReadAndWriteHostAndPort(String text, String host, int port, String written) {
        Address address = Address.parse(text);
        assertEquals(new Address(host, port), address);
        assertEquals(written, address.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "localhost:", ":1", "localhost:65536", "::1:80", "localhost:-1"})
    void shouldRefuseWhatIsNoAddress(String text) {
        String message = assertThrows(TypeConversionException.class, () -> Address.parse(text))
                .getMessage();
        assertTrue(message.contains("\"" + text + "\""), message);
    }

    @Test
    void shouldNameTheHostThatDoesNotResolve() {
        Address address = new Address("no-such-host.invalid", 1);
        FairleadException failure = assertThrows(FairleadException.class, address::resolve);
        assertEquals(FairleadException.Reason.UNKNOWN_HOST, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains("host=no-such-host.invalid"));
    }
}
