package io.fairlead.node.discovery;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;

/**
 * Resolves the names of one scheme. Found by {@link java.util.ServiceLoader}; thread-safe.
 */
public interface ResolverProvider {
    /**
     * The scheme.
     *
     * @return as in {@link ServiceName#scheme()}
     */
    String scheme();

    /**
     * How names of this scheme are written, for messages.
     *
     * @return such as {@code dns:HOST:PORT}
     */
    String form();

    /**
     * Makes a resolver, and checks the name; queries nothing and starts no threads.
     *
     * @param name of this scheme
     * @param context what its node passes to the resolver
     * @return the resolver
     * @throws IllegalArgumentException if the name is not written as {@link #form()} says
     */
    Resolver resolver(ServiceName name, DiscoveryContext context);

    /**
     * Makes a registrar, and checks the name; queries nothing and starts no threads.
     *
     * @param name of this scheme
     * @param member what to register
     * @param context what its node passes to the registrar
     * @return the registrar
     * @throws IllegalArgumentException if the name is not written as {@link #form()} says
     * @throws FairleadException {@code UNSUPPORTED} if members cannot be registered in this way
     */
    default Registrar registrar(ServiceName name, Member member, DiscoveryContext context) {
        throw new FairleadException(
                Reason.UNSUPPORTED,
                "members of this scheme are not registered by a process: name=" + name
                        + "; change the records where they are kept, or use a registry such as zk: or etcd:");
    }
}
