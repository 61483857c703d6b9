package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.StringEntry;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.ucp.UcpContext;

/** The list that {@code fairlead doctor} checks a library against is that of the code and of JUCX. */
@Timeout(60)
final class UcxSymbolsTest {
    private static final Pattern SYMBOL = Pattern.compile("uc[ps]_[a-z0-9_]+");

    @Test
    void shouldListWhatTheDataPathCalls() throws IOException {
        Set<String> called = new TreeSet<>(symbolsOf(Ucp.class));
        called.addAll(symbolsOf(UcpMemory.class));
        assertTrue(called.contains("ucp_tag_send_nbx"), called::toString);
        called.removeAll(known());
        assertEquals(Set.of(), called, "put them into NEEDED or OPTIONAL of UcxSymbols");
    }

    private static Set<String> symbolsOf(Class<?> caller) throws IOException {
        Set<String> symbols = new TreeSet<>();
        try (InputStream bytes = caller.getResourceAsStream(caller.getSimpleName() + ".class")) {
            ClassFile.of().parse(bytes.readAllBytes()).constantPool().forEach(entry -> {
                if (entry instanceof StringEntry text
                        && SYMBOL.matcher(text.stringValue()).matches()) {
                    symbols.add(text.stringValue());
                }
            });
        }
        return symbols;
    }

    @Test
    void shouldListWhatJucxImports() throws IOException {
        Set<String> imported = jucxNames();
        assertTrue(imported.contains("ucp_init_version"), imported::toString);
        Set<String> unlisted = new TreeSet<>(imported);
        unlisted.removeAll(known());
        assertEquals(Set.of(), unlisted, "put them into NEEDED or OPTIONAL of UcxSymbols");
    }

    @Test
    void shouldListNothingTwice() {
        List<String> all = new ArrayList<>(UcxSymbols.NEEDED);
        all.addAll(UcxSymbols.OPTIONAL);
        assertEquals(new HashSet<>(all).size(), all.size());
        assertFalse(all.isEmpty());
    }

    private static Set<String> known() {
        Set<String> known = new HashSet<>(UcxSymbols.NEEDED);
        known.addAll(UcxSymbols.OPTIONAL);
        return known;
    }

    /** The names in the table that the dynamic linker reads; it ends each with a zero byte, and others stand elsewhere. */
    private static Set<String> jucxNames() throws IOException {
        URL resource = UcpContext.class.getClassLoader().getResource("libjucx_amd64.so");
        try (InputStream bytes = resource.openStream()) {
            String text = new String(bytes.readAllBytes(), StandardCharsets.ISO_8859_1);
            int start = text.indexOf("\0__gmon_start__\0");
            int end = text.indexOf("\0GLIBC_2.2.5\0", start);
            return Pattern.compile("\0")
                    .splitAsStream(text.substring(start, end))
                    .filter(name -> SYMBOL.matcher(name).matches())
                    .collect(Collectors.toSet());
        }
    }
}
