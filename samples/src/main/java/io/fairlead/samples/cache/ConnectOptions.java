package io.fairlead.samples.cache;

import io.fairlead.samples.cli.Address;
import io.fairlead.samples.cli.ConfigOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every client of the cache. */
final class ConnectOptions {
    @Option(
            names = {"-C", "--connect"},
            paramLabel = "HOST:PORT",
            defaultValue = Address.DEFAULT,
            description = "Where the server listens (default: ${DEFAULT-VALUE}).")
    private Address address = Address.parse(Address.DEFAULT);

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    CacheClient open() {
        return new CacheClient(config.load(), address.resolve());
    }
}
