package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.memory.KeySecret;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The messages between two cores before an endpoint is connected: the connector's {@link Hello}, the listener's
 * {@link Welcome} or {@link Refusal}, and the connector's {@link Ready}. A connector that cannot set up the path of a
 * welcome answers with a {@link Decline}. The listener then sends another welcome or a refusal. If the transport
 * connects its endpoints itself, both sides end the handshake with {@link Settled}.
 *
 * <p>The records are plain data: {@link HandshakeCodec} enforces their limits in both directions. Their arrays are
 * shared with the creator and must not be changed; equality compares the contents.
 */
// The arrays are opaque to the core, and equality here compares their contents.
@SuppressWarnings("ArrayRecordComponent")
public sealed interface HandshakeMessage {
    /**
     * The connector's first message.
     *
     * @param versionMin the lowest protocol version that it supports, 1 to 65535
     * @param versionMax the highest protocol version that it supports, {@code versionMin} to 65535
     * @param security how the connection is secured: 0 not at all; 1 {@code authenticated}; 2 {@code encrypted}, and RDMA is trusted; 3
     *     {@code encrypted}; any number up to 255 is decoded so that it can be refused with a reason
     * @param incarnation the identity of its context, not 0
     * @param name its {@code node.name}
     * @param sourceId the source number of tagged messages that the listener sends, 1 to 65535
     * @param creditBytes the maximum number of bytes that the listener may send ahead of matching receives
     * @param eagerMax the maximum length of an eager message, in bytes
     * @param policy the allowed paths
     * @param offers the transports that it can use
     * @param auth proof of its identity; empty without security
     * @param features the features of the layer above its worker, 16 bits
     * @param token random number for this connection
     * @param keySecret the secret that signs its remote keys
     */
    record Hello(
            int versionMin,
            int versionMax,
            int security,
            long incarnation,
            String name,
            int sourceId,
            int creditBytes,
            int eagerMax,
            PathPolicy policy,
            List<Offer> offers,
            byte[] auth,
            int features,
            long token,
            KeySecret keySecret)
            implements HandshakeMessage {
        public Hello {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(policy, "policy");
            Objects.requireNonNull(auth, "auth");
            Objects.requireNonNull(keySecret, "keySecret");
            offers = List.copyOf(offers);
        }

        /** A sender without features, on a connection without a token. */
        public Hello(
                int versionMin,
                int versionMax,
                int security,
                long incarnation,
                String name,
                int sourceId,
                int creditBytes,
                int eagerMax,
                PathPolicy policy,
                List<Offer> offers,
                byte[] auth) {
            this(
                    versionMin,
                    versionMax,
                    security,
                    incarnation,
                    name,
                    sourceId,
                    creditBytes,
                    eagerMax,
                    policy,
                    offers,
                    auth,
                    0,
                    0,
                    KeySecret.NONE);
        }

        /** A copy with other features. */
        public Hello withFeatures(int newFeatures) {
            return new Hello(
                    versionMin,
                    versionMax,
                    security,
                    incarnation,
                    name,
                    sourceId,
                    creditBytes,
                    eagerMax,
                    policy,
                    offers,
                    auth,
                    newFeatures,
                    token,
                    keySecret);
        }

        /**
         * Whether this process and the sender share a protocol version. If they do not, only the two versions of this
         * message are valid: all other fields have neutral values if the sender's lowest version is above ours.
         */
        public boolean speaks(int version) {
            return versionMin <= version && version <= versionMax;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Hello that
                    && versionMin == that.versionMin
                    && versionMax == that.versionMax
                    && security == that.security
                    && incarnation == that.incarnation
                    && sourceId == that.sourceId
                    && creditBytes == that.creditBytes
                    && eagerMax == that.eagerMax
                    && name.equals(that.name)
                    && policy.equals(that.policy)
                    && offers.equals(that.offers)
                    && features == that.features
                    && token == that.token
                    && keySecret.equals(that.keySecret)
                    && Arrays.equals(auth, that.auth);
        }

        @Override
        public int hashCode() {
            return Objects.hash(incarnation, name, sourceId, offers);
        }

        @Override
        public String toString() {
            return "Hello[versions=" + versionMin + ".." + versionMax + ", security=" + security + ", incarnation="
                    + Long.toHexString(incarnation) + ", name=" + name + ", sourceId=" + sourceId + ", creditBytes="
                    + creditBytes + ", eagerMax=" + eagerMax + ", policy=" + policy + ", offers=" + offers + ", auth="
                    + auth.length + " bytes, features=0x" + Integer.toHexString(features) + "]";
        }
    }

    /**
     * The listener accepts and sends its choice.
     *
     * @param version the protocol version of both sides from here on
     * @param incarnation the identity of its context, not 0
     * @param name its {@code node.name}
     * @param sourceId the source number of tagged messages that the connector sends, 1 to 65535
     * @param creditBytes the maximum number of bytes that the connector may send ahead of matching receives
     * @param eagerMax the maximum length of an eager message, in bytes
     * @param transport the chosen transport
     * @param address the listener's worker address, for the connector's transport
     * @param pathClass the kind of path
     * @param device what the path runs over
     * @param lanes the transport's names of the lanes that it combines
     * @param cause why this path was chosen over the others
     * @param reason the same in words
     * @param auth proof of its identity; empty without security
     * @param features the features of the layer above its worker, 16 bits
     * @param token random number for this connection
     * @param keySecret the secret that signs its remote keys
     * @param wireUpData the data of the listener's endpoint for the connector's, both of the chosen transport; may be
     *     empty
     */
    record Welcome(
            int version,
            long incarnation,
            String name,
            int sourceId,
            int creditBytes,
            int eagerMax,
            String transport,
            byte[] address,
            PathClass pathClass,
            String device,
            List<String> lanes,
            PathCause cause,
            String reason,
            byte[] auth,
            int features,
            long token,
            KeySecret keySecret,
            byte[] wireUpData)
            implements HandshakeMessage {
        public Welcome {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(transport, "transport");
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(pathClass, "pathClass");
            Objects.requireNonNull(device, "device");
            Objects.requireNonNull(cause, "cause");
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(auth, "auth");
            Objects.requireNonNull(keySecret, "keySecret");
            Objects.requireNonNull(wireUpData, "wireUpData");
            lanes = List.copyOf(lanes);
        }

        /** A sender without features, on a connection without a token. */
        public Welcome(
                int version,
                long incarnation,
                String name,
                int sourceId,
                int creditBytes,
                int eagerMax,
                String transport,
                byte[] address,
                PathClass pathClass,
                String device,
                List<String> lanes,
                PathCause cause,
                String reason,
                byte[] auth) {
            this(
                    version,
                    incarnation,
                    name,
                    sourceId,
                    creditBytes,
                    eagerMax,
                    transport,
                    address,
                    pathClass,
                    device,
                    lanes,
                    cause,
                    reason,
                    auth,
                    0,
                    0,
                    KeySecret.NONE,
                    new byte[0]);
        }

        /** A copy with other features. */
        public Welcome withFeatures(int newFeatures) {
            return new Welcome(
                    version,
                    incarnation,
                    name,
                    sourceId,
                    creditBytes,
                    eagerMax,
                    transport,
                    address,
                    pathClass,
                    device,
                    lanes,
                    cause,
                    reason,
                    auth,
                    newFeatures,
                    token,
                    keySecret,
                    wireUpData);
        }

        /** A copy with other wire-up data. */
        public Welcome withWireUpData(byte[] newWireUpData) {
            return new Welcome(
                    version,
                    incarnation,
                    name,
                    sourceId,
                    creditBytes,
                    eagerMax,
                    transport,
                    address,
                    pathClass,
                    device,
                    lanes,
                    cause,
                    reason,
                    auth,
                    features,
                    token,
                    keySecret,
                    newWireUpData);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Welcome that
                    && version == that.version
                    && incarnation == that.incarnation
                    && sourceId == that.sourceId
                    && creditBytes == that.creditBytes
                    && eagerMax == that.eagerMax
                    && pathClass == that.pathClass
                    && cause == that.cause
                    && name.equals(that.name)
                    && transport.equals(that.transport)
                    && device.equals(that.device)
                    && lanes.equals(that.lanes)
                    && reason.equals(that.reason)
                    && Arrays.equals(address, that.address)
                    && features == that.features
                    && token == that.token
                    && keySecret.equals(that.keySecret)
                    && Arrays.equals(wireUpData, that.wireUpData)
                    && Arrays.equals(auth, that.auth);
        }

        @Override
        public int hashCode() {
            return Objects.hash(incarnation, name, sourceId, transport);
        }

        @Override
        public String toString() {
            return "Welcome[version=" + version + ", incarnation=" + Long.toHexString(incarnation) + ", name=" + name
                    + ", sourceId=" + sourceId + ", creditBytes=" + creditBytes + ", eagerMax=" + eagerMax
                    + ", transport=" + transport + ", address=" + address.length + " bytes, pathClass=" + pathClass
                    + ", device=" + device + ", lanes=" + lanes + ", cause=" + cause + ", reason=" + reason + ", auth="
                    + auth.length + " bytes, features=0x" + Integer.toHexString(features) + "]";
        }
    }

    /**
     * The listener refuses. The bytes are the same in every protocol version, so any connector can read the reason.
     *
     * @param reason the cause; a reason that is unknown to this release is decoded as {@code REFUSED}
     * @param message one line for the connector's log
     */
    record Refusal(FairleadException.Reason reason, String message) implements HandshakeMessage {
        public Refusal {
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(message, "message");
        }
    }

    /**
     * The connector has created its endpoint for the listener's choice: data may flow.
     *
     * @param wireUpData the data of the connector's endpoint for the listener's, both of the chosen transport; may be
     *     empty
     */
    record Ready(byte[] wireUpData) implements HandshakeMessage {
        public Ready {
            Objects.requireNonNull(wireUpData, "wireUpData");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Ready that && Arrays.equals(wireUpData, that.wireUpData);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(wireUpData);
        }

        @Override
        public String toString() {
            return "Ready[wireUpData=" + wireUpData.length + " bytes]";
        }
    }

    /**
     * The connector cannot set up the path that the listener chose; the listener chooses another one or refuses.
     *
     * @param transport the transport of the path
     * @param reason the cause; a reason that is unknown to this release is decoded as {@code REFUSED}
     * @param message one line for the reason of the next path
     */
    record Decline(String transport, FairleadException.Reason reason, String message) implements HandshakeMessage {
        public Decline {
            Objects.requireNonNull(transport, "transport");
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(message, "message");
        }
    }

    /** The sender's endpoint of the chosen transport is ready: it accepts no other path any more. */
    record Settled() implements HandshakeMessage {}

    /**
     * The connector has lost the socket of a connection that can be resumed, and goes on here. The first message on its
     * socket, below TLS.
     *
     * @param incarnation the identity of the listener's context
     * @param name the connection's name, by {@link ResumeSecret#name()}
     * @param nonce a fresh number of the connector
     */
    record Resume(long incarnation, long name, Bytes32 nonce) implements HandshakeMessage {}

    /**
     * The listener has the connection, and the connector has to prove that it is the other side.
     *
     * @param nonce a fresh number of the listener
     */
    record Challenge(Bytes32 nonce) implements HandshakeMessage {}

    /**
     * The connector's proof. Its old socket is closed.
     *
     * @param bytesRead how far it has read the listener's stream
     * @param signature by {@link ResumeSecret}
     */
    record Proof(long bytesRead, Bytes32 signature) implements HandshakeMessage {}

    /**
     * The listener's proof. Its old socket is closed, and behind this message its stream goes on.
     *
     * @param bytesRead how far it has read the connector's stream
     * @param signature by {@link ResumeSecret}
     */
    record Resumed(long bytesRead, Bytes32 signature) implements HandshakeMessage {}
}
