package io.fairlead.testkit.internal;

import io.fairlead.PathClass;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Reach;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportSetup;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.util.List;

/** A second transport, within the process: loopback, which says of itself that it is another kind of path. */
public final class SpareProvider extends ForwardingProvider {
    public static final String NAME = "spare";

    private final String name;
    private final PathClass pathClass;

    /** One to fall back to, as slow as TCP. */
    public SpareProvider() {
        this(NAME, PathClass.TCP);
    }

    public SpareProvider(String name, PathClass pathClass) {
        super(LoopbackProvider.available());
        this.name = name;
        this.pathClass = pathClass;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of();
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new Spare(super.open(setup), pathClass);
    }

    private static final class Spare extends ForwardingTransport {
        private final PathClass pathClass;

        Spare(Transport inner, PathClass pathClass) {
            super(inner);
            this.pathClass = pathClass;
        }

        @Override
        public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
            Reach reach = super.reach(localAddress, peerVersion, peerAddress);
            return reach.pathClass() == null
                    ? reach
                    : Reach.by(pathClass, reach.device(), reach.lanes(), reach.reason());
        }
    }
}
