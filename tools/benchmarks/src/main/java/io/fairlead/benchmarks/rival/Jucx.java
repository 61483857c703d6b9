package io.fairlead.benchmarks.rival;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.perf.PerfTest;
import io.fairlead.cli.perf.Rival;
import java.util.Optional;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/**
 * JUCX used as its own examples use it: a Java object and a callback per operation, no error handling between peers. Belongs to
 * the thread that made it.
 */
final class Jucx implements Rival {
    private final UcpContext context;

    /** Opens a context of its own. */
    Jucx(String lanes) {
        context = new UcpContext(new UcpParams()
                .requestTagFeature()
                .requestRmaFeature()
                .setConfig("TLS", lanes)
                .setConfig("LOG_LEVEL", "error"));
    }

    /** Atomics are what it lacks. */
    @Override
    public Optional<Contestant> contestant(PerfTest test, int size, int window) {
        return switch (test) {
            case TAG_LAT -> Optional.of(new JucxTagPingPong(side(size), size));
            case TAG_BW -> Optional.of(new JucxTagStream(side(size), size, window));
            case PUT_LAT -> Optional.of(new JucxPutPingPong(side(size), size));
            case PUT_BW -> Optional.of(new JucxPuts(side(size), size, window));
            case GET_LAT, GET_BW -> Optional.of(new JucxGets(side(size), size, window));
            case FADD -> Optional.empty();
        };
    }

    private JucxSide side(int size) {
        return new JucxSide(context, size);
    }

    /** Closes the context; every side is closed before. */
    @Override
    public void close() {
        context.close();
    }
}
