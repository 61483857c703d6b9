package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.fault.CutConnections;
import io.fairlead.testkit.fault.SwitchedLanes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A transport whose endpoints change their paths all the time. Runs of suites are over such a one where the system property of a {@link Kind} says how
 * often.
 */
final class DisturbedTransport implements TransportUnderTest {
    /** What disturbs the endpoints of a worker. */
    enum Kind {
        /** Their connections are cut. For a transport that uses them for its data. */
        CUT,
        /** They leave their lanes, and return. */
        SWITCH;

        /** The property with the time in milliseconds between two of them. */
        private String property() {
            return "fairlead.contract." + (this == CUT ? "cut" : "switch") + "-every-ms";
        }

        private int everyMs() {
            return Integer.getInteger(property(), 0);
        }

        private boolean isAsked() {
            return everyMs() > 0;
        }

        private TransportProvider disturb(TransportProvider sound) {
            Duration every = Duration.ofMillis(everyMs());
            return this == CUT ? CutConnections.of(sound, every) : new SwitchedLanes(sound, every).provider();
        }
    }

    private final TransportUnderTest sound;
    private final Kind kind;
    private final TransportProvider provider;

    private DisturbedTransport(TransportUnderTest sound, Kind kind) {
        this.sound = sound;
        this.kind = kind;
        this.provider = kind.disturb(sound.provider());
    }

    /** The transport, disturbed if the run asks for it. */
    static TransportUnderTest asAsked(TransportUnderTest sound) {
        TransportUnderTest asked = sound;
        for (Kind kind : Kind.values()) {
            asked = kind.isAsked() ? new DisturbedTransport(asked, kind) : asked;
        }
        return asked;
    }

    /** Whether endpoints leave their lanes and return all the time. */
    static boolean isSwitching() {
        return Kind.SWITCH.isAsked();
    }

    /** Has endpoints outlive the disturbances, also in a process that was started as a peer. */
    static FairleadConfig configured(FairleadConfig base) {
        if (!Kind.CUT.isAsked() && !Kind.SWITCH.isAsked()) {
            return base;
        }
        return base.with(ConfigKeys.FAILOVER, "on")
                // A dead peer must be given up before a case is.
                .with(ConfigKeys.FAILOVER_TIMEOUT, Duration.ofSeconds(5))
                // The test decides when.
                .with(ConfigKeys.FAILBACK_DELAY, Duration.ZERO)
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
        options.add("-D" + kind.property() + "=" + kind.everyMs());
        return List.copyOf(options);
    }

    @Override
    public Map<String, String> leftOut() {
        Map<String, String> all = new HashMap<>(sound.leftOut());
        String reason = "a path that is made again takes new objects";
        all.put("ActiveMessageContract.shouldAllocateNothingForAMessage", reason);
        all.put("IdleAllocationContract", reason);
        all.put(
                "FailoverContract.shouldResumeForNobodyWhoOnlyRepeatsWhatWasSaid",
                "it counts the connections that are made again");
        String outlived = "it expects that what it breaks ends, and endpoints with failover go on";
        for (String suite : List.of("FaultContract", "FaultRoundsContract", "HostLossContract", "NetworkContract")) {
            all.put(suite, outlived);
        }
        String around = "a resumable stream puts its records around what the case overhears";
        all.put("HandshakeContract.shouldServeAPeerWhoseHandshakeIsReplayedMeanwhile", around);
        all.put("HandshakeContract.shouldNotDisturbAnEndpointByAReplayOfItsWholeHandshake", around);
        if (kind == Kind.SWITCH) {
            all.put(
                    "ProcessContract.shouldReceiveWhatAProcessHadSentBeforeItWasKilled",
                    "what a process keeps on the way to another path dies with it");
            all.put("LaneFailoverContract", "its cases decide when lanes are left");
            all.put(
                    "TaggedSendContract.shouldDeliverWhatWasSentRightBeforeClose",
                    "the peer takes no turn during the close, which another path needs");
            all.put(
                    "RemoteMemoryContract.shouldReachTargetThatMakesNoProgress",
                    "off the lanes the owner of memory serves it");
            all.put(
                    "RemoteRegionContract.shouldSurviveThatOtherThreadClosesLocalMemory",
                    "operations on the way to another path need their memory");
        }
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

    @Override
    public boolean leavesLanes() {
        return sound.leavesLanes();
    }
}
