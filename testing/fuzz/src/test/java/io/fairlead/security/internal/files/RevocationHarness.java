package io.fairlead.security.internal.files;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.ScratchFile;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.internal.pem.Pem;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;

/** Files that name revoked certificates. An odd first byte has the input put into the PEM of a revocation list. */
public final class RevocationHarness implements Harness {
    private final OwnFiles own = new OwnFiles();
    private final ScratchFile file = new ScratchFile("revoked");
    private final Set<X509Certificate> authorities = Set.of(own.authority.certificate());

    @Override
    public List<byte[]> seeds() {
        byte[] list = own.revocationList();
        String serial = own.node.certificate().getSerialNumber().toString(16);
        return List.of(
                Input.behind(0, text("serial=" + serial + "\n# a comment\n0x0A # another\n01:02:03\n\n")),
                Input.behind(0, text(Pem.write(Pem.REVOCATION_LIST, list))),
                Input.behind(0, text(Pem.write(Pem.CERTIFICATE, list))),
                Input.behind(1, list));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        boolean inPem = (in.u8() & 1) != 0;
        byte[] content = inPem ? text(Pem.write(Pem.REVOCATION_LIST, in.rest())) : in.rest();
        NamedFile named = new NamedFile(SecurityKeys.REVOKED, file.write(content));
        try {
            Revocations revocations = Revocations.read(named, authorities);
            Expect.same(revocations, Revocations.read(named, authorities), "a file means something else each time");
            Expect.that(revocations.count() >= 0, "fewer than none");
            Expect.that(
                    !revocations.has(own.node.certificate()) || revocations.count() > 0,
                    "a certificate is revoked by nothing");
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.CONFIGURATION);
        }
    }

    /** The library makes a tree of what it reads. */
    @Override
    public long heapMax(byte[] input) {
        return (4 << 20) + 1024L * input.length;
    }
}
