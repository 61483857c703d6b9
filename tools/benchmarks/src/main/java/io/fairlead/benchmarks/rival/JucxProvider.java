package io.fairlead.benchmarks.rival;

import io.fairlead.cli.perf.Rival;
import io.fairlead.cli.perf.RivalProvider;

/** Brings raw JUCX to {@code fairlead perf --compare}. */
public final class JucxProvider implements RivalProvider {
    /** Creates the provider, for {@link java.util.ServiceLoader}. */
    public JucxProvider() {}

    @Override
    public String name() {
        return "jucx";
    }

    @Override
    public Rival open(String lanes) {
        return new Jucx(lanes);
    }
}
