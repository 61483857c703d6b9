package io.fairlead.cli.perf;

/**
 * Brings a rival that is no part of the {@code fairlead} command, for {@code fairlead perf --compare}.
 *
 * <p>Found by {@link java.util.ServiceLoader} in both processes of a comparison, so that the command needs nothing of what it is compared with.
 */
public interface RivalProvider {
    /**
     * Its name in tables and reports.
     *
     * @return one word
     */
    String name();

    /**
     * Opens what its tests share.
     *
     * @param lanes the UCX transports that it may use, as the environment variable {@code UCX_TLS} names them
     * @return to be used and closed by the calling thread
     */
    Rival open(String lanes);
}
