package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.fault.CutConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A transport that uses the control connection for its data, over connections that break all the time. Runs of suites are over such a one where the
 * system property {@value #EVERY_MS} says how often.
 */
final class CutTransport implements TransportUnderTest {
    /** The time in milliseconds between two cuts of a worker's connections. */
    static final String EVERY_MS = "fairlead.contract.cut-every-ms";

    private final TransportUnderTest sound;
    private final TransportProvider provider;

    private CutTransport(TransportUnderTest sound, int everyMs) {
        this.sound = sound;
        this.provider = CutConnections.of(sound.provider(), Duration.ofMillis(everyMs));
    }

    /** The transport, over connections that break if the run asks for it. */
    static TransportUnderTest asAsked(TransportUnderTest sound) {
        int everyMs = Integer.getInteger(EVERY_MS, 0);
        return everyMs == 0 ? sound : new CutTransport(sound, everyMs);
    }

    /** Has connections resumed, also in a process that was started as a peer. */
    static FairleadConfig configured(FairleadConfig base) {
        return Integer.getInteger(EVERY_MS, 0) == 0
                ? base
                : base.with(ConfigKeys.FAILOVER, "on")
                        // A dead peer must be given up before a case is.
                        .with(ConfigKeys.FAILOVER_TIMEOUT, Duration.ofSeconds(5))
                        // A close needs a connection.
                        .with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(500));
    }

    @Override
    public TransportProvider provider() {
        return provider;
    }

    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return sound.configure(configured(base));
    }

    @Override
    public List<String> jvmOptions() {
        List<String> options = new ArrayList<>(sound.jvmOptions());
        options.add("-D" + EVERY_MS + "=" + Integer.getInteger(EVERY_MS, 0));
        return List.copyOf(options);
    }

    @Override
    public Map<String, String> leftOut() {
        Map<String, String> all = new HashMap<>(sound.leftOut());
        String reason = "a connection that is made again takes new objects";
        all.put("ActiveMessageContract.shouldAllocateNothingForAMessage", reason);
        all.put("IdleAllocationContract", reason);
        all.put(
                "FailoverContract.shouldResumeForNobodyWhoOnlyRepeatsWhatWasSaid",
                "it counts the connections that are made again");
        return Map.copyOf(all);
    }

    @Override
    public Set<Capability> capabilities() {
        return sound.capabilities();
    }

    @Override
    public PathClass pathClass() {
        return sound.pathClass();
    }
}
