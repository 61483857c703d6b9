package io.fairlead.internal.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.internal.memory.KeySecret;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ConnectionSecretTest {
    private static final KeySecret CONNECTOR = KeySecret.random();
    private static final KeySecret LISTENER = KeySecret.random();
    private static final byte[] EXPORTED = new byte[32];

    private static String key(ConnectionSecret secret) {
        return HexFormat.of().formatHex(secret.pathKeys("shm", 1, 2, 3, 4).key("offer"));
    }

    @Test
    void shouldGiveBothSidesTheSameKeys() {
        ConnectionSecret connector = ConnectionSecret.ofHandshake(5, 6, CONNECTOR, LISTENER);
        ConnectionSecret listener =
                ConnectionSecret.ofHandshake(5, 6, KeySecret.of(CONNECTOR.bytes()), KeySecret.of(LISTENER.bytes()));
        assertEquals(key(connector), key(listener));
        assertEquals(32, connector.pathKeys("shm", 1, 2, 3, 4).key("offer").length);
    }

    @Test
    void shouldGiveEveryConnectionItsOwnKeys() {
        Set<String> keys = new HashSet<>();
        for (ConnectionSecret secret : List.of(
                ConnectionSecret.ofHandshake(5, 6, CONNECTOR, LISTENER),
                ConnectionSecret.ofHandshake(6, 5, CONNECTOR, LISTENER),
                ConnectionSecret.ofHandshake(5, 7, CONNECTOR, LISTENER),
                ConnectionSecret.ofHandshake(5, 6, LISTENER, CONNECTOR),
                ConnectionSecret.ofHandshake(5, 6, CONNECTOR, KeySecret.NONE),
                ConnectionSecret.ofExporter(EXPORTED))) {
            assertTrue(keys.add(key(secret)), "two connections have one key");
        }
    }

    @Test
    void shouldBindKeysToEndsTransportAndPurpose() {
        ConnectionSecret secret = ConnectionSecret.ofExporter(EXPORTED);
        Set<String> keys = new HashSet<>();
        for (PathKeys path : List.of(
                secret.pathKeys("shm", 1, 2, 3, 4),
                secret.pathKeys("ucx", 1, 2, 3, 4),
                secret.pathKeys("shm", 9, 2, 3, 4),
                secret.pathKeys("shm", 1, 9, 3, 4),
                secret.pathKeys("shm", 1, 2, 9, 4),
                secret.pathKeys("shm", 1, 2, 3, 9),
                secret.pathKeys("shm", 3, 4, 1, 2))) {
            for (String label : List.of("offer", "region", "")) {
                assertTrue(keys.add(HexFormat.of().formatHex(path.key(label))), "two purposes have one key");
            }
        }
    }

    /** HKDF by its definition (RFC 5869), so that the sides of two releases agree. */
    @Test
    void shouldDeriveByHkdf() throws GeneralSecurityException {
        byte[] material = {1, 2, 3};
        byte[] info = {4, 5};
        byte[] extracted = hmac(Hkdf.ascii("fairlead connection"), material);
        byte[] expected = hmac(extracted, new byte[] {4, 5, 1});
        assertArrayEquals(expected, Hkdf.derive(material, info));
    }

    private static byte[] hmac(byte[] key, byte[] message) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(message);
    }

    @Test
    void shouldRefuseAnExporterOfAnotherLength() {
        assertThrows(IllegalArgumentException.class, () -> ConnectionSecret.ofExporter(Arrays.copyOf(EXPORTED, 31)));
        assertThrows(IllegalArgumentException.class, () -> ConnectionSecret.ofExporter(new byte[33]));
    }

    @Test
    void shouldPrintNoSecret() {
        assertEquals("ConnectionSecret", ConnectionSecret.ofExporter(EXPORTED).toString());
        assertEquals(
                "PathKeys",
                ConnectionSecret.ofExporter(EXPORTED)
                        .pathKeys("shm", 1, 2, 3, 4)
                        .toString());
    }
}
