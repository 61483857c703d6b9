package io.fairlead.internal.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class SizeTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "1 B, 1",
        "1b, 1",
        "1 byte, 1",
        "2 bytes, 2",
        "64k, 65536",
        "64K, 65536",
        "64 Ki, 65536",
        "64KiB, 65536",
        "64 kB, 64000",
        "1m, 1048576",
        "1 M, 1048576",
        "1Mi, 1048576",
        "1 MiB, 1048576",
        "1 MB, 1000000",
        "1.5 MiB, 1572864",
        "0.5k, 512",
        "1g, 1073741824",
        "1 G, 1073741824",
        "1 Gi, 1073741824",
        "2 GiB, 2147483648",
        "1 GB, 1000000000",
        "1 TiB, 1099511627776",
        "1E, 1152921504606846976",
        "1 exabyte, 1000000000000000000",
        "0.5, 0",
        "1.9 B, 1",
        "999999999999999999, 999999999999999999"
    })
    void shouldReadNumberAndUnit(String text, long bytes) {
        assertEquals(bytes, SizeText.parse(" " + text + " "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "k",
                "64q",
                "-1",
                "+1",
                "0x10",
                "1 kib",
                "1 mb",
                "1 2",
                "1,5k",
                "NaN",
                "Infinity",
                "999999999999999999 G",
                // The library would compute every digit of these.
                "1e1000000 MiB",
                "1E+1000000MiB",
                "1.5e3 k"
            })
    void shouldRefuseWhatIsNoSize(String text) {
        assertThrows(IllegalArgumentException.class, () -> SizeText.parse(text));
    }

    @Test
    void shouldRefuseMillionsOfDigits() {
        assertThrows(IllegalArgumentException.class, () -> SizeText.parse("0." + "1".repeat(10_000_000) + " GiB"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1, 1 B",
        "1023, 1023 B",
        "1024, 1 KiB",
        "1536, 1536 B",
        "1048576, 1 MiB",
        "1073741824, 1 GiB",
        "3221225472, 3 GiB",
        "2147483647, 2147483647 B"
    })
    void shouldWriteTheLargestUnitThatLeavesAWholeNumber(long bytes, String text) {
        assertEquals(text, SizeText.format(bytes));
    }

    @Test
    void shouldReadWhatItWrote() {
        Random random = new Random(2);
        for (int round = 0; round < 10_000; round++) {
            long bytes =
                    (random.nextLong() >>> 5 + random.nextInt(58)) << 10 * random.nextInt(4) & Long.MAX_VALUE >>> 4;
            assertEquals(bytes, SizeText.parse(SizeText.format(bytes)));
        }
    }
}
