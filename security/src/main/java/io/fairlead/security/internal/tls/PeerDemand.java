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
 * The requirements of a connector on a listener's certificate, in addition to a trusted authority.
 *
 * @param host whether it must name the requested host
 * @param identities patterns of which it must match one; empty for any identity
 */
public record PeerDemand(boolean host, List<IdentityPattern> identities) {
    /** Requires only the host. */
    public static final PeerDemand HOST = new PeerDemand(true, List.of());

    /** Copies the list. */
    public PeerDemand {
        identities = List.copyOf(identities);
    }

    /**
     * The configured requirements.
     *
     * @param config has {@code security.verify-host} and {@code security.peer-identity}
     * @return the requirements
     * @throws FairleadException {@code CONFIGURATION} if an identity is malformed, or required of peers without
     *     certificates
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

    /** A subject's name contains commas, and is less specific than these. */
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

    /** Whether a listener meets the requirements. */
    boolean isMetBy(PeerIdentity listener) {
        return identities.isEmpty() || identities.stream().anyMatch(identity -> identity.matches(listener));
    }

    /** The identities for a message. */
    String text() {
        return identities.stream().map(IdentityPattern::toString).collect(Collectors.joining(" or "));
    }
}
