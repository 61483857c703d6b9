package io.fairlead.internal.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecurityProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When connections end because of their keys. */
@Timeout(120)
class ContextSecurityTest {
    private static final long AGE_MAX_NS = Duration.ofHours(1).toNanos();
    private static final String SECRET = "a secret of more than sixteen bytes";

    @TempDir
    private static Path folder;

    private static TestKeys made;

    @BeforeAll
    static void makeKeys() throws Exception {
        made = TestKeys.make(folder, "one").withSecret(SECRET);
    }

    private record Given(ConnectionSecurity keys) implements SecurityProvider {
        @Override
        public String name() {
            return "given";
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of();
        }

        @Override
        public ConnectionSecurity open(FairleadConfig config) {
            return keys;
        }
    }

    private static ContextSecurity context(TestKeys keys) {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.SECURITY_MODE, SecurityMode.AUTHENTICATED);
        return SecurityProviders.with(List.of(new Given(keys)), () -> ContextSecurity.open(config));
    }

    @Test
    void shouldEndAConnectionOfReplacedKeysAtItsAge() throws IOException {
        TestKeys keys = made.withAgeMax(Duration.ofNanos(AGE_MAX_NS));
        try (ContextSecurity context = context(keys);
                TlsWire wire = TlsWire.connected(keys, made)) {
            Secured secured = wire.connector.handshake.secured();
            assertNull(context.expiry(secured, secured.madeNs() + AGE_MAX_NS, "a"), "its keys are the newest");

            keys.replaceSecret(SECRET + "!");

            assertNull(context.expiry(secured, secured.madeNs() + AGE_MAX_NS - 1, "a"));
            FairleadException expired = assertInstanceOf(
                    FairleadException.class, context.expiry(secured, secured.madeNs() + AGE_MAX_NS, "a"));
            assertEquals(Reason.EXPIRED, expired.reason());
            assertTrue(
                    String.valueOf(expired.getMessage()).contains("endpoint=a, security.connection-max-age=3600000 ms"),
                    expired::getMessage);
            assertNull(context.expiry(Secured.NOT, Long.MAX_VALUE, "b"));
        }
    }

    @Test
    void shouldEndAConnectionWhosePeersCertificateHasExpired() throws IOException {
        TestKeys keys = made.withAgeMax(Duration.ZERO);
        try (ContextSecurity context = context(keys);
                TlsWire wire = TlsWire.connected(keys, made)) {
            Secured secured = wire.connector.handshake.secured();
            assertNull(context.expiry(secured, secured.madeNs(), "a"));

            keys.expirePeers();

            FairleadException expired =
                    assertInstanceOf(FairleadException.class, context.expiry(secured, secured.madeNs(), "a"));
            assertEquals(Reason.EXPIRED, expired.reason());
            assertTrue(
                    String.valueOf(expired.getMessage()).startsWith("the peer's certificate has expired since"),
                    expired::getMessage);
        }
    }

    @Test
    void shouldNeverEndAConnectionWithoutAnAge() throws IOException {
        TestKeys keys = made.withAgeMax(Duration.ZERO);
        try (ContextSecurity context = context(keys);
                TlsWire wire = TlsWire.connected(keys, made)) {
            Secured secured = wire.connector.handshake.secured();
            keys.replaceSecret(SECRET + "!");
            assertNull(context.expiry(secured, secured.madeNs() + AGE_MAX_NS, "a"));
        }
    }
}
