package io.fairlead.cli.command;

import java.util.List;

/**
 * Adds subcommands to the {@code fairlead} command from another module.
 *
 * <p>Found by {@link java.util.ServiceLoader}, so that the command does not depend on the modules that extend it.
 */
public interface SubcommandProvider {
    /**
     * Returns the subcommands to add, each an object whose class carries
     * {@link picocli.CommandLine.Command @Command}, or a {@link picocli.CommandLine} built from one.
     *
     * @return the subcommands, in the order in which help lists them
     */
    List<Object> subcommands();
}
