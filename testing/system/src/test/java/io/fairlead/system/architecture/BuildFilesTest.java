package io.fairlead.system.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What the build promises to those who run it. */
@Timeout(60)
final class BuildFilesTest {
    /** By whatever name Maven's plugins know it; a value in a POM goes before the user's -D. */
    private static final Set<String> SKIPS =
            Set.of("skip", "skipTests", "skipITs", "skipExec", "maven.test.skip", "maven.test.skip.exec");

    @Test
    void shouldLeaveTheSkippingOfTestsToTheCommandLine() throws Exception {
        List<String> found = new ArrayList<>();
        for (Path pom : poms()) {
            for (Element plugin : elements(parse(pom).getDocumentElement(), "plugin")) {
                String name = elements(plugin, "artifactId").getFirst().getTextContent();
                if (!Set.of("maven-surefire-plugin", "maven-failsafe-plugin").contains(name)) {
                    continue;
                }
                for (Element element : elements(plugin, "*")) {
                    if (SKIPS.contains(element.getTagName())) {
                        found.add(pom + ": " + name + ": " + element.getTagName() + "=" + element.getTextContent());
                    }
                }
            }
            for (Element properties : elements(parse(pom).getDocumentElement(), "properties")) {
                for (Element element : elements(properties, "*")) {
                    if (SKIPS.contains(element.getTagName())) {
                        found.add(pom + ": property " + element.getTagName());
                    }
                }
            }
        }
        assertEquals(List.of(), found, "-DskipTests would not skip there; leave executions out by a profile instead");
    }

    @Test
    void shouldShipNoComparison() throws Exception {
        List<String> found = new ArrayList<>();
        for (Path pom : poms()) {
            for (Element dependency : elements(parse(pom).getDocumentElement(), "dependency")) {
                String artifact = elements(dependency, "artifactId").getFirst().getTextContent();
                List<Element> scopes = elements(dependency, "scope");
                boolean tested =
                        !scopes.isEmpty() && scopes.getFirst().getTextContent().equals("test");
                if (artifact.equals("fairlead-benchmarks") && !tested) {
                    found.add(pom.toString());
                }
            }
        }
        assertEquals(List.of(), found, "benchmarks are for a clone: what depends on them would ship them");
    }

    private static List<Path> poms() throws IOException {
        List<Path> found = RepositoryRoot.files("/pom.xml");
        assertTrue(found.size() > 20, found::toString);
        return found;
    }

    private static Document parse(Path pom) throws IOException, ParserConfigurationException, SAXException {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    }

    private static List<Element> elements(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }
}
