package io.fairlead.cli.cache;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
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

    CacheConnection open() {
        return new CacheConnection(config.load(), address.resolve());
    }
}
