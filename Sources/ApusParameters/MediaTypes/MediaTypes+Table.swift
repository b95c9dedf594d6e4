extension MediaTypes {
    /// The subtypes of each type with their file extensions, the preferred one first, sorted alphabetically.
    ///
    /// An extension with the prefix `=` belongs to another type: files of this type use it, but it does not imply this
    /// type. The source is the IANA registry, and common use for types without a registered extension.
    static let table: [(type: StaticString, subtypes: StaticString)] = [
        (
            "application",
            """
            activity+json activity, andrew-inset ez, appinstaller appinstaller, atom+xml atom, atomcat+xml atomcat,
            atomsvc+xml atomsvc, avro avro, bdoc bdoc, calendar+json jcal, calendar+xml xcs, cbor cbor,
            ccxml+xml ccxml, cdmi-object cdmio, cwl cwl, dash+xml mpd, davmount+xml davmount, dicom dcm,
            docbook+xml dbk, ecmascript =js, efi efi, emma+xml emma, epub+zip epub, exi exi, express exp, fdf fdf,
            fdt+xml fdt, font-tdpfr pfr, geo+json geojson, geopackage+sqlite3 gpkg, gml+xml gml, gpx+xml gpx,
            graphql graphql gql, graphql+json =json, gxf gxf, gzip gz tgz, hjson hjson, hta hta, hyperstudio stk,
            inkml+xml ink inkml, ipfix ipfix, its+xml its, java-archive jar war ear, java-serialized-object ser,
            java-vm class, javascript =js, json json map, json-patch+json json-patch, json5 json5, jsonml+json jsonml,
            ld+json jsonld, lgr+xml lgr, lost+xml lostxml, mac-binhex40 hqx, mac-compactpro cpt, mads+xml mads,
            manifest+json webmanifest, marc mrc, marcxml+xml mrcx, mathematica ma mb, mathml+xml mathml mml,
            mbox mbox, media-policy-dataset+xml mpf, metalink+xml metalink, metalink4+xml meta4, mets+xml mets,
            mods+xml mods, mp21 m21 mp21, mp4 =mp4, msaccess mdb accdb, msword doc dot, mxf mxf, n-quads nq,
            n-triples nt, node cjs, octet-stream bin dump img pkg so dylib o ipa, oda oda, oebps-package+xml opf,
            ogg ogx, omdoc+xml omdoc, onenote one onetoc onetoc2 onetmp onepkg, oxps oxps, pdf pdf,
            pgp-encrypted pgp gpg, pgp-keys asc, pgp-signature sig, pics-rules prf, pkcs10 p10, pkcs12 p12 pfx,
            pkcs7-mime p7m p7c, pkcs7-signature p7s, pkcs8 p8, pkix-attr-cert ac, pkix-cert cer, pkix-crl crl,
            pkix-pkipath pkipath, pkixcmp pki, pls+xml pls, postscript ps ai eps, problem+json =json,
            problem+xml =xml, protobuf pb protobin, provenance+xml provx, pskc+xml pskcxml, raml+yaml raml,
            rdf+xml rdf owl, relax-ng-compact-syntax rnc, resource-lists+xml rl, rfc+xml rfcxml, rpki-roa roa,
            rss+xml rss, rtf rtf, sarif+json sarif, sbml+xml sbml, sdp sdp, senml+json senml, sieve siv sieve,
            smil+xml smi smil, sparql-query rq, sparql-results+xml srx, sql sql, srgs gram, srgs+xml grxml,
            sru+xml sru, ssml+xml ssml, swid+xml swidtag, tei+xml tei teicorpus, timestamp-query tsq,
            timestamp-reply tsr, timestamped-data tsd, toml toml, trig trig, ttml+xml ttml, vnd.adobe.flash.movie swf,
            vnd.adobe.xdp+xml xdp, vnd.adobe.xfdf xfdf, vnd.amazon.ebook azw, vnd.amazon.mobi8-ebook azw3,
            vnd.android.package-archive apk, vnd.anki apkg, vnd.apache.arrow.file arrow feather,
            vnd.apache.arrow.stream arrows, vnd.apache.parquet parquet, vnd.apple.installer+xml mpkg,
            vnd.apple.keynote key keynote, vnd.apple.mpegurl m3u8, vnd.apple.numbers numbers, vnd.apple.pages pages,
            vnd.apple.pkpass pkpass, vnd.apple.pkpasses pkpasses, vnd.balsamiq.bmpr bmpr, vnd.chess-pgn pgn,
            vnd.comicbook+zip cbz, vnd.comicbook-rar cbr, vnd.cups-ppd ppd, vnd.dart dart, vnd.dbf dbf,
            vnd.debian.binary-package deb udeb, vnd.etsi.asic-e+zip asice sce, vnd.etsi.asic-s+zip asics,
            vnd.flatpak flatpak, vnd.framemaker fm frame maker book, vnd.geogebra.file ggb, vnd.geogebra.tool ggt,
            vnd.google-apps.document gdoc, vnd.google-apps.presentation gslides, vnd.google-apps.spreadsheet gsheet,
            vnd.google-earth.kml+xml kml, vnd.google-earth.kmz kmz, vnd.hal+xml hal, vnd.hp-hpgl hpgl, vnd.hp-pcl pcl,
            vnd.iccprofile icc icm, vnd.intu.qbo qbo, vnd.intu.qfx qfx, vnd.ipld.car car, vnd.isac.fcs fcs,
            vnd.kde.karbon karbon, vnd.kde.kpresenter kpr kpt, vnd.kde.kspread ksp, vnd.kde.kword kwd kwt,
            vnd.lotus-1-2-3 123 wk1 wk3 wk4, vnd.lotus-approach apr, vnd.lotus-freelance pre, vnd.lotus-notes nsf,
            vnd.lotus-wordpro lwp, vnd.mapbox-vector-tile mvt, vnd.maxmind.maxmind-db mmdb,
            vnd.microsoft.portable-executable exe dll sys, vnd.mif mif, vnd.mozilla.xul+xml xul,
            vnd.ms-3mfdocument =3mf, vnd.ms-asf asf, vnd.ms-cab-compressed cab, vnd.ms-excel xls xlm xla xlc xlt xlw,
            vnd.ms-excel.addin.macroenabled.12 xlam, vnd.ms-excel.sheet.binary.macroenabled.12 xlsb,
            vnd.ms-excel.sheet.macroenabled.12 xlsm, vnd.ms-excel.template.macroenabled.12 xltm,
            vnd.ms-fontobject eot, vnd.ms-htmlhelp chm, vnd.ms-officetheme thmx, vnd.ms-outlook msg,
            vnd.ms-pki.seccat cat, vnd.ms-powerpoint ppt pps pot, vnd.ms-powerpoint.addin.macroenabled.12 ppam,
            vnd.ms-powerpoint.presentation.macroenabled.12 pptm, vnd.ms-powerpoint.slideshow.macroenabled.12 ppsm,
            vnd.ms-powerpoint.template.macroenabled.12 potm, vnd.ms-project mpp mpt, vnd.ms-tnef tnef,
            vnd.ms-visio.drawing vsdx, vnd.ms-word.document.macroenabled.12 docm,
            vnd.ms-word.template.macroenabled.12 dotm, vnd.ms-works wps wks wcm wdb, vnd.ms-wpl wpl,
            vnd.ms-xpsdocument xps, vnd.msgpack msgpack, vnd.nintendo.nitro.rom nds, vnd.nintendo.snes.rom sfc smc,
            vnd.oasis.opendocument.base odb, vnd.oasis.opendocument.chart odc,
            vnd.oasis.opendocument.chart-template otc, vnd.oasis.opendocument.formula odf,
            vnd.oasis.opendocument.formula-template odft, vnd.oasis.opendocument.graphics odg,
            vnd.oasis.opendocument.graphics-template otg, vnd.oasis.opendocument.image odi,
            vnd.oasis.opendocument.image-template oti, vnd.oasis.opendocument.presentation odp,
            vnd.oasis.opendocument.presentation-template otp, vnd.oasis.opendocument.spreadsheet ods,
            vnd.oasis.opendocument.spreadsheet-template ots, vnd.oasis.opendocument.text odt,
            vnd.oasis.opendocument.text-master odm, vnd.oasis.opendocument.text-template ott,
            vnd.oasis.opendocument.text-web oth, vnd.openofficeorg.extension oxt, vnd.openstreetmap.data+xml osm,
            vnd.openxmlformats-officedocument.presentationml.presentation pptx,
            vnd.openxmlformats-officedocument.presentationml.slide sldx,
            vnd.openxmlformats-officedocument.presentationml.slideshow ppsx,
            vnd.openxmlformats-officedocument.presentationml.template potx,
            vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx,
            vnd.openxmlformats-officedocument.spreadsheetml.template xltx,
            vnd.openxmlformats-officedocument.wordprocessingml.document docx,
            vnd.openxmlformats-officedocument.wordprocessingml.template dotx, vnd.palm pdb pqa oprc,
            vnd.quark.quarkxpress qxd qxt qwd qwt qxl qxb, vnd.rar rar, vnd.recordare.musicxml mxl,
            vnd.recordare.musicxml+xml musicxml, vnd.rn-realmedia rm, vnd.shp =shp, vnd.sketchup.skp skp,
            vnd.sqlite3 sqlite sqlite3 db3, vnd.stardivision.calc sdc, vnd.stardivision.draw sda,
            vnd.stardivision.impress sdd, vnd.stardivision.writer sdw vor, vnd.sun.wadl+xml wadl,
            vnd.sun.xml.calc sxc, vnd.sun.xml.draw sxd, vnd.sun.xml.impress sxi, vnd.sun.xml.math sxm,
            vnd.sun.xml.writer sxw, vnd.symbian.install sis sisx, vnd.tcpdump.pcap pcap cap dmp, vnd.unity unityweb,
            vnd.visio vsd vst vss vsw, vnd.wap.wbxml wbxml, vnd.wap.wmlc wmlc, vnd.wap.wmlscriptc wmlsc,
            vnd.wolfram.mathematica nb, vnd.wordperfect wpd, vnd.xara xar, vnd.xfdl xfdl, voicexml+xml vxml,
            warc warc, wasm wasm, watcherinfo+xml wif, widget wgt, winhlp hlp, wsdl+xml wsdl, wspolicy+xml wspolicy,
            x-7z-compressed 7z, x-abiword abw, x-ace-compressed ace, x-apple-aspen-config mobileconfig,
            x-apple-diskimage dmg, x-arj arj, x-bat bat cmd, x-bcpio bcpio, x-bittorrent torrent, x-blorb blb blorb,
            x-brotli br, x-bzip bz, x-bzip2 bz2 boz tbz tbz2, x-cdlink vcd, x-chat chat, x-chrome-extension crx,
            x-cocoa cco, x-compress z, x-cpio cpio, x-csh csh, x-director dir dcr dxr cst cct cxt w3d, x-doom wad,
            x-dtbncx+xml ncx, x-dvi dvi, x-font-bdf bdf, x-font-linux-psf psf, x-font-pcf pcf, x-font-snf snf,
            x-font-type1 pfa pfb pfm afm, x-freearc arc, x-gca-compressed gca, x-gnumeric gnumeric,
            x-gramps-xml gramps, x-gtar gtar, x-gzip =gz, x-hdf hdf hdf4, x-hdf5 h5 hdf5, x-httpd-php php,
            x-ipynb+json ipynb, x-iso9660-image iso, x-java-archive-diff jardiff, x-java-jnlp-file jnlp,
            x-javascript =js, x-keepass2 kdbx, x-latex latex, x-lua-bytecode luac, x-lz4 lz4,
            x-lzh-compressed lzh lha, x-lzip lz, x-lzma lzma, x-makeself run, x-matlab-data mat,
            x-mobipocket-ebook mobi prc, x-ms-application application, x-ms-shortcut lnk, x-ms-wmd wmd, x-ms-wmz wmz,
            x-ms-xbap xbap, x-msdownload =exe, x-msi msi msp, x-mspublisher pub, x-ndjson ndjson jsonl,
            x-netcdf nc cdf, x-ns-proxy-autoconfig pac, x-pem-file pem, x-perl pl pm, x-pkcs12 =p12,
            x-pkcs7-certificates p7b spc, x-pkcs7-certreqresp p7r, x-plist plist, x-python-code pyc pyo,
            x-rar-compressed =rar, x-rdp rdp, x-redhat-package-manager =rpm, x-research-info-systems ris, x-rpm rpm,
            x-sea sea, x-sh sh bash zsh, x-shapefile shp, x-shar shar, x-shockwave-flash =swf, x-silverlight-app xap,
            x-sqlite3 =sqlite, x-stuffit sit, x-stuffitx sitx, x-subrip srt, x-sv4cpio sv4cpio, x-sv4crc sv4crc,
            x-t3vm-image t3, x-tads gam, x-tar tar, x-tcl tcl tk, x-tex tex, x-tex-tfm tfm, x-texinfo texinfo texi,
            x-tgif tgif, x-ustar ustar, x-virtualbox-hdd hdd, x-virtualbox-ova ova, x-virtualbox-ovf ovf,
            x-virtualbox-vbox vbox, x-virtualbox-vdi vdi, x-virtualbox-vhd vhd, x-virtualbox-vmdk vmdk,
            x-wais-source src, x-web-app-manifest+json webapp, x-www-form-urlencoded urlencoded,
            x-x509-ca-cert crt der, x-xfig fig, x-xliff+xml =xlf, x-xpinstall xpi, x-xz xz txz, x-yaml =yaml,
            x-zip-compressed =zip, xcap-diff+xml xdf, xhtml+xml xhtml xht, xliff+xml xlf xliff, xml xml xsd rng,
            xml-dtd dtd, xop+xml xop, xproc+xml xpl, xslt+xml xslt xsl, xspf+xml xspf, yaml yaml yml, yang yang,
            yin+xml yin, zip zip, zstd zst
            """
        ),
        (
            "audio",
            """
            3gpp =3gp, aac aac adts, ac3 ac3, adpcm adp, aiff =aiff, amr amr, amr-wb awb, basic au snd, eac3 eac3,
            flac flac, l16 l16, matroska mka, midi mid midi kar rmi, mobile-xmf mxmf, mp3 =mp3, mp4 m4a m4b mp4a m4r,
            mpeg mp3 mpga mp2 mp2a m2a m3a, mpegurl m3u, ogg oga ogg spx, opus opus, s3m s3m, silk sil,
            vnd.dece.audio uva, vnd.digital-winds eol, vnd.dra dra, vnd.dts dts, vnd.dts.hd dtshd,
            vnd.lucent.voice lvp, vnd.ms-playready.media.pya pya, vnd.nuera.ecelp4800 ecelp4800, vnd.rip rip,
            vnd.wave =wav, wav wav, wave =wav, webm weba, x-aiff aif aiff aifc, x-ape ape, x-caf caf, x-flac =flac,
            x-gsm gsm, x-it it, x-m4a =m4a, x-mod mod, x-ms-wax wax, x-ms-wma wma, x-musepack mpc,
            x-pn-realaudio ra ram, x-pn-realaudio-plugin rmp, x-wav =wav, x-wavpack wv, x-xm xm, xm =xm
            """
        ),
        (
            "font",
            """
            collection ttc, otf otf, sfnt =ttf, ttf ttf, woff woff, woff2 woff2
            """
        ),
        (
            "image",
            """
            aces exr, apng apng, avci avci, avcs avcs, avif avif, bmp bmp dib, cgm cgm, dicom-rle drle, dpx dpx,
            emf emf, fits fits fit fts, g3fax g3, gif gif, heic heic hif, heic-sequence heics, heif heif,
            heif-sequence heifs, hej2k hej2, ief ief, jls jls, jp2 jp2 jpg2, jpeg jpg jpeg jpe jfif, jpg =jpg,
            jph jph, jphc jhc, jpm jpm jpgm, jpx jpx jpf, jxl jxl, jxr jxr, jxs jxs, ktx ktx, ktx2 ktx2, pjpeg =jpg,
            png png, prs.btif btif btf, sgi sgi, svg+xml svg svgz, tiff tif tiff, tiff-fx tfx,
            vnd.adobe.photoshop psd, vnd.dece.graphic uvi, vnd.djvu djvu djv, vnd.dwg dwg, vnd.dxf dxf,
            vnd.fastbidsheet fbs, vnd.fpx fpx, vnd.fst fst, vnd.microsoft.icon ico cur, vnd.ms-dds dds,
            vnd.ms-modi mdi, vnd.ms-photo wdp, vnd.net-fpx npx, vnd.radiance hdr, vnd.wap.wbmp wbmp, vnd.xiff xif,
            vnd.zbrush.pcx pcx, webp webp, wmf wmf, x-3ds 3ds, x-adobe-dng dng, x-canon-cr2 cr2, x-canon-cr3 cr3,
            x-canon-crw crw, x-cmu-raster ras, x-cmx cmx, x-coreldraw cdr, x-fuji-raf raf, x-icns icns, x-icon =ico,
            x-jng jng, x-kodak-dcr k25 kdc, x-minolta-mrw mrw, x-ms-bmp =bmp, x-nikon-nef nef, x-olympus-orf orf,
            x-panasonic-rw2 rw2, x-pentax-pef pef, x-pict pic pct pict, x-png =png, x-portable-anymap pnm,
            x-portable-bitmap pbm, x-portable-graymap pgm, x-portable-pixmap ppm, x-rgb rgb, x-sigma-x3f x3f,
            x-sony-arw arw, x-sony-sr2 sr2, x-sony-srf srf, x-tga tga, x-xbitmap xbm, x-xcf xcf, x-xpixmap xpm,
            x-xwindowdump xwd
            """
        ),
        (
            "message",
            """
            global u8msg, rfc822 eml mht mhtml mime, vnd.wfa.wsc wsc
            """
        ),
        (
            "model",
            """
            3mf 3mf, gltf+json gltf, gltf-binary glb, iges igs iges, jt jt, mesh msh mesh silo, mtl mtl, obj obj,
            prc =prc, step stp step stpnc p21, step+xml stpx, step+zip stpz, stl stl, u3d u3d, vnd.cld cld,
            vnd.collada+xml dae, vnd.dwf dwf, vnd.gdl gdl, vnd.gtw gtw, vnd.opengex ogex,
            vnd.parasolid.transmit.binary x_b, vnd.parasolid.transmit.text x_t, vnd.sap.vds vds, vnd.usda usda,
            vnd.usdz+zip usdz, vnd.valve.source.compiled-map bsp, vnd.vtu vtu, vrml wrl vrml, x3d+fastinfoset x3db,
            x3d+xml x3d x3dz, x3d-vrml x3dv
            """
        ),
        (
            "text",
            """
            cache-manifest appcache manifest, calendar ics ifb, coffeescript coffee litcoffee, cql cql, css css,
            csv csv, csv-schema csvs, gff3 gff3, html html htm shtml, javascript js mjs es, jcr-cnd cnd, json =json,
            jsx jsx, less less, markdown md markdown mkd, mathml =mathml, mdx mdx, n3 n3, org org,
            plain txt text log conf cfg def list in ini properties, prs.lines.tag tag dsc, richtext rtx, rtf =rtf,
            sgml sgml sgm, shex shex, slim slim slm, spdx spdx, stylus styl stylus, tab-separated-values tsv,
            troff t tr roff man me ms, turtle ttl, uri-list uri uris urls, vcard vcf vcard, vnd.abc abc,
            vnd.curl curl, vnd.familysearch.gedcom ged, vnd.fly fly, vnd.graphviz gv, vnd.in3d.3dml 3dml,
            vnd.in3d.spot spot, vnd.sun.j2me.app-descriptor jad, vnd.trolltech.linguist =ts, vnd.wap.si si,
            vnd.wap.sl sl, vnd.wap.wml wml, vnd.wap.wmlscript wmls, vtt vtt, wgsl wgsl, x-asm s asm, x-bibtex bib,
            x-c++hdr hpp hxx hh h++, x-c++src cpp cc cxx c++, x-chdr h, x-cmake cmake, x-component htc, x-csharp cs,
            x-csrc c, x-diff diff patch, x-dsrc d, x-elixir ex exs, x-erlang erl hrl, x-fortran f for f77 f90,
            x-go go, x-gradle gradle, x-groovy groovy, x-handlebars-template hbs, x-haskell hs, x-java-source java,
            x-julia jl, x-kotlin kt kts, x-lisp lisp cl, x-literate-haskell lhs, x-lua lua, x-makefile mk mak,
            x-markdown =md, x-nfo nfo, x-objc++src mm, x-objcsrc m, x-ocaml ml mli, x-opml opml, x-pascal p pas,
            x-php =php, x-processing pde, x-protobuf proto, x-python py pyw pyi, x-r r, x-rst rst, x-ruby rb,
            x-rust rs, x-sass sass, x-scala scala sc, x-scss scss, x-setext etx, x-sfv sfv, x-sql =sql, x-ssa ssa ass,
            x-suse-ymp ymp, x-swift swift, x-toml =toml, x-uuencode uu, x-vcalendar vcs, x-vcard =vcf, x-verilog v sv,
            x-vhdl vhdl, x-vue vue, x-yaml =yaml, x-zig zig, xml =xml, yaml =yaml
            """
        ),
        (
            "video",
            """
            3gpp 3gp 3gpp, 3gpp2 3g2, avi =avi, dv dv dif, h261 h261, h263 h263, h264 h264, h265 h265,
            iso.segment m4s, jpeg jpgv, matroska mkv, matroska-3d mk3d, mj2 mj2 mjp2, mp2t ts m2t m2ts mts,
            mp4 mp4 mp4v mpg4, mpeg mpeg mpg mpe m1v m2v, ogg ogv, quicktime mov qt, vnd.avi avi, vnd.dece.hd uvh,
            vnd.dece.video uvv, vnd.dvb.file dvb, vnd.fvt fvt, vnd.mpegurl mxu m4u, vnd.ms-playready.media.pyv pyv,
            vnd.radgamettools.bink bik bk2, vnd.radgamettools.smacker smk, vnd.vivo viv, vnd.youtube.yt yt, webm webm,
            x-f4v f4v, x-fli fli, x-flv flv, x-m4v m4v, x-matroska =mkv, x-mng mng, x-ms-vob vob, x-ms-wm wm,
            x-ms-wmv wmv, x-ms-wmx wmx, x-ms-wvx wvx, x-msvideo =avi, x-sgi-movie movie
            """
        ),
    ]
}
