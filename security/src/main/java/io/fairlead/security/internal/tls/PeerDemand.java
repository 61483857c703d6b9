package io.fairlead.security.internal.tls;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.access.IdentityPattern;
import io.fairlead.security.SecurityKeys;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a connector demands of a listener's certificate, beside an authority that it trusts.
 *
 * @param host whether it has to name the host that was asked for
 * @param identities one of which it has to fit; none: any will do
 */
public record PeerDemand(boolean host, List<IdentityPattern> identities) {
    /** No more than the host. */
    public static final PeerDemand HOST = new PeerDemand(true, List.of());

    /** Copies the list. */
    public PeerDemand {
        identities = List.copyOf(identities);
    }

    /**
     * What is configured.
     *
     * @param config has {@code security.verify-host} and {@code security.peer-identity}
     * @return the demand
     * @throws FairleadException {@code CONFIGURATION} if an identity is none, or is demanded of peers that show no certificates
     */
    public static PeerDemand of(FairleadConfig config) {
        String configured = config.value(SecurityKeys.PEER_IDENTITY);
        if (configured.isBlank()) {
            return new PeerDemand(config.value(SecurityKeys.VERIFY_HOST), List.of());
        }
        if (!config.value(SecurityKeys.SHARED_SECRET_FILE).isBlank()) {
            throw problem(
                    config,
                    configured,
                    "is demanded of peers that show no certificates: " + SecurityKeys.SHARED_SECRET_FILE.name()
                            + " is set; secure connections by certificates, or demand no identity");
        }
        try {
            return new PeerDemand(
                    config.value(SecurityKeys.VERIFY_HOST),
                    Arrays.stream(configured.split(",", -1))
                            .map(text -> pattern(text.strip()))
                            .toList());
        } catch (IllegalArgumentException malformed) {
            throw problem(config, configured, "names no identity: " + malformed.getMessage());
        }
    }

    /** A subject's name has commas in it, and says less than these. */
    private static IdentityPattern pattern(String text) {
        if (!text.startsWith("dns:") && !text.startsWith("uri:")) {
            throw new IllegalArgumentException("identity=" + text
                    + " is of no kind that can be demanded; write dns: before a DNS name, uri: before a URI");
        }
        return IdentityPattern.of(text);
    }

    private static FairleadException problem(FairleadConfig config, String configured, String what) {
        return new FairleadException(
                FairleadException.Reason.CONFIGURATION,
                SecurityKeys.PEER_IDENTITY.name() + "=" + configured + " " + what + " ("
                        + config.origin(SecurityKeys.PEER_IDENTITY) + ")");
    }

    /** Whether a listener is one of those that are demanded. */
    boolean isMetBy(PeerIdentity listener) {
        return identities.isEmpty() || identities.stream().anyMatch(identity -> identity.matches(listener));
    }

    /** The identities for a message. */
    String text() {
        return identities.stream().map(IdentityPattern::toString).collect(Collectors.joining(" or "));
    }
}
