package io.fairlead.internal.providers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecurityProvider;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class SecurityProvidersTest {
    private record Named(String name) implements SecurityProvider {
        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of(ConfigKey.flag("security." + name, false, "Whether."));
        }

        @Override
        public ConnectionSecurity open(FairleadConfig config) {
            throw new UnsupportedOperationException("only its name and keys are of interest");
        }
    }

    private static String refusal(List<SecurityProvider> providers) {
        Supplier<SecurityProvider> only = () -> SecurityProviders.only("encrypted");
        FairleadException refused =
                assertThrows(FairleadException.class, () -> SecurityProviders.with(providers, only));
        assertEquals(FairleadException.Reason.CONFIGURATION, refused.reason());
        return String.valueOf(refused.getMessage());
    }

    @Test
    void shouldFindTheOnlyOne() {
        SecurityProvider one = new Named("one");
        assertSame(one, SecurityProviders.with(List.of(one), () -> SecurityProviders.only("encrypted")));
    }

    @Test
    void shouldNameTheArtifactWhereThereIsNone() {
        String message = refusal(List.of());
        assertTrue(message.contains("security.mode=encrypted"), message);
        assertTrue(message.endsWith("add the artifact io.fairlead:fairlead-security"), message);
    }

    @Test
    void shouldNameAllWhereThereAreSeveral() {
        String message = refusal(List.of(new Named("two"), new Named("one")));
        assertTrue(message.contains("found=[one, two]"), message);
    }

    @Test
    void shouldTellThatAProviderHasNoKeysForServersOfOtherProtocols() {
        SecurityProvider one = new Named("one");
        FairleadException refused =
                assertThrows(FairleadException.class, () -> one.openServer(FairleadConfig.defaults()));
        assertEquals(FairleadException.Reason.CONFIGURATION, refused.reason());
        assertTrue(String.valueOf(refused.getMessage()).contains("provider=one"), refused::getMessage);
    }

    @Test
    void shouldLetAConfigurationNameTheKeysOfAProvider() {
        List<String> names = SecurityProviders.with(List.of(new Named("one")), FairleadConfig::load).keys().stream()
                .map(ConfigKey::name)
                .toList();
        assertTrue(names.contains("security.one"), names::toString);
    }
}
