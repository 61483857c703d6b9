package io.fairlead.internal.handshake;

import io.fairlead.internal.handshake.HandshakeMessage.Challenge;
import io.fairlead.internal.handshake.HandshakeMessage.Proof;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeMessage.Resumed;
import io.fairlead.internal.wire.WireReader;
import io.fairlead.internal.wire.WireWriter;

/** The bodies of the messages that resume a connection on another socket, as bytes. Stateless. */
final class ResumeCodec {
    private ResumeCodec() {}

    static WireWriter encode(Resume resume) {
        return bytes(new WireWriter("Resume").i64(resume.incarnation()).i64(resume.name()), "nonce", resume.nonce());
    }

    static Resume decodeResume(WireReader in) {
        Resume resume = new Resume(HandshakeFields.incarnation(in), in.i64("name"), bytes(in, "nonce"));
        in.end();
        return resume;
    }

    static WireWriter encode(Challenge challenge) {
        return bytes(new WireWriter("Challenge"), "nonce", challenge.nonce());
    }

    static Challenge decodeChallenge(WireReader in) {
        Challenge challenge = new Challenge(bytes(in, "nonce"));
        in.end();
        return challenge;
    }

    static WireWriter encode(Proof proof) {
        return bytes(new WireWriter("Proof").i64(proof.bytesRead()), "signature", proof.signature());
    }

    static Proof decodeProof(WireReader in) {
        Proof proof = new Proof(in.i64("bytesRead"), bytes(in, "signature"));
        in.end();
        return proof;
    }

    static WireWriter encode(Resumed resumed) {
        return bytes(new WireWriter("Resumed").i64(resumed.bytesRead()), "signature", resumed.signature());
    }

    static Resumed decodeResumed(WireReader in) {
        Resumed resumed = new Resumed(in.i64("bytesRead"), bytes(in, "signature"));
        in.end();
        return resumed;
    }

    private static WireWriter bytes(WireWriter out, String field, Bytes32 value) {
        return out.bytes(field, value.bytes(), Bytes32.LENGTH);
    }

    private static Bytes32 bytes(WireReader in, String field) {
        byte[] value = in.bytes(field, Bytes32.LENGTH);
        if (value.length != Bytes32.LENGTH) {
            throw in.violation(
                    field + " is too short: length=" + value.length + ", expected " + Bytes32.LENGTH + " bytes");
        }
        return new Bytes32(value);
    }
}
