package io.fairlead.internal.access;

import io.fairlead.Authorizer.Verdict;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.ScratchFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Files of rules about who may do what, and the rules that are in them, asked about some peers. */
public final class AccessHarness implements Harness {
    private static final List<PeerIdentity> PEERS = List.of(
            PeerIdentity.ANONYMOUS,
            new PeerIdentity(
                    "CN=feed-1,O=Example", List.of("feed-1.example.org"), List.of("spiffe://example.org/feed")));
    private static final List<InetSocketAddress> SOURCES = List.of(
            new InetSocketAddress(InetAddress.ofLiteral("10.1.2.3"), 1),
            new InetSocketAddress(InetAddress.ofLiteral("fd00::1"), 1));

    private final ScratchFile file = new ScratchFile("acl.conf");

    @Override
    public List<byte[]> seeds() {
        return List.of(
                seed("rules = [ { identity = \"*\", connect = true, publish = \"**\", subscribe = [\"a/*\", b] } ]"),
                seed(
                        "rules = [ { identity = [\"name:CN=feed-*,O=*\", \"uri:spiffe://example.org/**\"], connect = false } ]"),
                seed("rules=[{identity=\"dns:*.example.org\",connect=[\"10.0.0.0/8\",\"fd00::/8\"],"
                        + "regions=[{label=\"cache*\",rights=[read,write,atomic]},{label=\"**\",rights=read}]}]"),
                seed("rules = []\n# nobody"),
                seed("rules { a = ${?b} }"));
    }

    private static byte[] seed(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void run(byte[] input) {
        // Files of the machine are not for this run.
        if (new String(input, StandardCharsets.UTF_8).contains("include")) {
            return;
        }
        AccessRules rules;
        try {
            rules = AccessFileParser.read(file.write(input));
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.CONFIGURATION);
            return;
        }
        for (PeerIdentity peer : PEERS) {
            for (InetSocketAddress source : SOURCES) {
                check(rules.connect(peer, source));
            }
            check(rules.publish(peer, "a/b"));
            check(rules.subscribe(peer, "b"));
            Expect.same(
                    rules.region(peer, "cache/1"),
                    rules.region(peer, "cache/1"),
                    "a region has other rights each time");
        }
    }

    private static void check(Verdict verdict) {
        if (!verdict.isAllowed()) {
            Expect.line(verdict.reason());
        }
    }

    /** The library makes a tree of what it reads, and strings for each place in it; patterns are tried at each character of a name. */
    @Override
    public long heapMax(byte[] input) {
        return (8 << 20) + 8192L * input.length;
    }
}
