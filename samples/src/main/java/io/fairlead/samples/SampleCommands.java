package io.fairlead.samples;

import io.fairlead.samples.cache.CacheCommand;
import io.fairlead.samples.cli.SubcommandProvider;
import io.fairlead.samples.demo.DemoCommand;
import io.fairlead.samples.demo.DemoPublisher;
import io.fairlead.samples.demo.DemoSubscriber;
import io.fairlead.samples.doctor.DoctorCommand;
import io.fairlead.samples.doctor.DoctorPeer;
import io.fairlead.samples.doctor.InfoCommand;
import io.fairlead.samples.pubsub.PubCommand;
import io.fairlead.samples.pubsub.SubCommand;
import io.fairlead.samples.roce.RoceHostile;
import io.fairlead.samples.roce.RocePeer;
import io.fairlead.samples.roce.RoceTestCommand;
import io.fairlead.samples.top.TopCommand;
import java.util.List;

/** The subcommands of this module, found like those of any other. */
public final class SampleCommands implements SubcommandProvider {
    /** Creates the provider, for {@link java.util.ServiceLoader}. */
    public SampleCommands() {}

    @Override
    public List<Object> subcommands() {
        return List.of(
                new DemoCommand(),
                new PubCommand(),
                new SubCommand(),
                new CacheCommand(),
                new TopCommand(),
                new DoctorCommand(),
                new InfoCommand(),
                new RoceTestCommand(),
                new RoceHostile(),
                new RocePeer(),
                new DemoPublisher(),
                new DemoSubscriber(),
                new DoctorPeer());
    }
}
