package io.fairlead.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void shouldLetPeersStandStillForHalfAMinuteUnlessTold() {
        assertEquals(
                Duration.ofSeconds(30).toNanos(),
                Settings.of(FairleadConfig.defaults()).stallNs());
    }

    @Test
    void shouldRaiseTheStallTimeoutThatIsNotSetWithTheLivenessTimeout() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(60));
        assertEquals(Duration.ofSeconds(60).toNanos(), Settings.of(config).stallNs());
    }

    @Test
    void shouldTakeAStallTimeoutOfExactlyTheLivenessTimeout() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.STALL_TIMEOUT, Duration.ofSeconds(2));
        assertEquals(Duration.ofSeconds(2).toNanos(), Settings.of(config).stallNs());
    }

    @Test
    void shouldRefuseAStallTimeoutBelowTheLivenessTimeout() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(1999));
        FairleadException refused = assertThrows(FairleadException.class, () -> Settings.of(config));
        assertEquals(Reason.CONFIGURATION, refused.reason());
        assertEquals(
                "stall.timeout is shorter than liveness.timeout: stall.timeout=1999 ms, liveness.timeout=2000 ms;"
                        + " raise the one or lower the other",
                refused.getMessage());
    }
}
